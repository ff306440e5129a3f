import assert from "node:assert/strict";
import { test } from "node:test";

import {
  barsOf,
  branchFigure,
  extentOf,
  History,
  historyFigure,
  slotsOf,
  stepAt,
  timelineFigure,
} from "../../../assets/viewer/figures.mjs";
import { BranchMap, HistoryMap } from "../../../assets/viewer/heatmap.mjs";
import { Timeline } from "../../../assets/viewer/timeline.mjs";
import { record, runs } from "./traces.mjs";

/** Equal but for the last bits of a number: the page keeps confidences in 32 bits. */
function assertClose(actual, expected, at = "figure") {
  if (typeof expected === "number" && typeof actual === "number") {
    assert.ok(Math.abs(actual - expected) < 1e-6, `${at}: ${actual} is not ${expected}`);
  } else if (expected === null || typeof expected !== "object") {
    assert.equal(actual, expected, at);
  } else {
    assert.deepEqual(Object.keys(actual).sort(), Object.keys(expected).sort(), at);
    for (const key of Object.keys(expected)) assertClose(actual[key], expected[key], `${at}.${key}`);
  }
}

for (const { name, recording, records, expected } of runs) {
  const { templates, ...python } = expected.figures;

  test(`${name}: the timelines are Python's`, () => {
    for (const axis of ["step", "time"]) assertClose(timelineFigure(templates, recording, axis), python[axis], axis);
  });

  test(`${name}: the maps of branches are Python's`, () => {
    for (const [step, figure] of Object.entries(python.branches))
      assertClose(branchFigure(templates, recording, recording.frame(Number(step))), figure, step);
  });

  test(`${name}: the histories are Python's, however the run came in`, () => {
    const growing = record(records.slice(0, 3));
    const histories = Object.keys(python.history).map((size) => new History(growing, Number(size)));
    histories[0].grown();
    for (const line of records.slice(3)) growing.add(line);
    for (const history of histories)
      assertClose(historyFigure(templates, growing, history.grown()), python.history[history.branch]);
  });

  test(`${name}: a step is found again from any place in its slot`, () => {
    for (const axis of ["step", "time"]) {
      const slots = slotsOf(recording.steps, axis);
      slots.forEach(({ start, width }, step) => {
        if (width > 0) assert.equal(stepAt(slots, start + width / 2), step);
      });
      assert.equal(stepAt(slots, -1), null);
    }
  });

  test(`${name}: filling a template leaves it as it was`, () => {
    const before = JSON.stringify(templates);
    timelineFigure(templates, recording, "step");
    branchFigure(templates, recording, recording.frame(0));
    assert.equal(JSON.stringify(templates), before);
  });
}

test("every commit is in one bar", () => {
  const { recording } = runs[0];
  const commits = recording.steps.flatMap(({ events }) => events).filter(({ type }) => type === "commit");
  assert.equal(
    barsOf(recording.steps).reduce((sum, { count }) => sum + count, 0),
    commits.length,
  );
});

test("two runs share an axis, and a live one leaves room", () => {
  const long = { steps: runs[0].recording.steps };
  const short = { steps: long.steps.slice(0, 2) };
  assert.deepEqual(extentOf([short, long], "step", false), [0.5, long.steps.length + 0.5]);
  assert.deepEqual(extentOf([short], "step", true), [0.5, 16.5]);
  const [, end] = extentOf([long], "time", true);
  assert.ok(end >= extentOf([long], "time", false)[1]);
  assert.deepEqual(extentOf([{ steps: [] }], "time", true), [0, 1]);
});

test("markup in a token stays text", () => {
  const { recording, expected } = runs[0];
  const token = recording.frame(0).ordered[0].draft.find((draft) => draft > 1);
  const marked = record([{ ...recording.header, run: "marked" }, ...recording.steps]);
  marked.pieces.set(token, '<a href="x">&');
  const { data } = branchFigure(expected.figures.templates, marked, marked.frame(0));
  const texts = data.flatMap(({ text }) => text.flat()).filter(Boolean);
  assert.ok(texts.includes('\u201c&lt;a href="x"&gt;&amp;\u201d'));
  assert.ok(texts.every((text) => !text.includes("<")));
});

test("a run of the same id and length out of another file is drawn anew, and the same run is not", () => {
  const { records, recording } = runs[0];
  const layout = { height: 1 };
  const keys = [];
  const plots = { templates: { branches: { layout }, history: { layout } }, at: () => ({ draw: ({ key }) => keys.push(key) }) };
  const [timeline, branches, history] = [Timeline, BranchMap, HistoryMap].map((Panel) => new Panel(plots, null, () => {}));
  const draw = (run) => {
    const view = { recording: run, frame: run.frame(2), cursor: { branch: 8, position: 0 } };
    timeline.draw(view, "step", [0.5, 9.5]);
    branches.draw(view, [0, 9]);
    history.draw(view);
    return keys.splice(0);
  };
  const first = draw(recording);
  assert.deepEqual(draw(recording), first);
  draw(record(records)).forEach((key, index) => assert.notEqual(key, first[index]));
});
