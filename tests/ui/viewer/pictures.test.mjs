import assert from "node:assert/strict";
import { test } from "node:test";

import { cividis, inkOn } from "../../../assets/viewer/colors.mjs";
import { Columns, GAP } from "../../../assets/viewer/columns.mjs";
import { actionOf } from "../../../assets/viewer/keys.mjs";
import { candidatesAt } from "../../../assets/viewer/panels.mjs";
import { visible } from "../../../assets/viewer/pieces.mjs";
import { pixelRow } from "../../../assets/viewer/pixels.mjs";
import { MARKS, nextMarked } from "../../../assets/viewer/recording.mjs";
import { LEGEND, SHAPES } from "../../../assets/viewer/shapes.mjs";
import { committedByBranch, kindsByPlace, slots } from "../../../assets/viewer/timeline.mjs";
import { runs } from "./traces.mjs";

const { recording, records } = runs[0];

test("columns grow, never shrink, and are found again by their place", () => {
  const columns = new Columns(3);
  assert.equal(columns.widen(1, 60), true);
  assert.equal(columns.widen(1, 30), false);
  columns.place();
  assert.equal(columns.lefts[2] - columns.lefts[1], 60 + GAP);
  for (const position of [0, 1, 2]) assert.equal(columns.at(columns.lefts[position] + 1), position);
  assert.deepEqual([columns.at(-50), columns.at(1e6)], [0, 2]);
  assert.deepEqual(columns.visible(columns.lefts[1], columns.lefts[1] + 5), [1, 2]);
});

test("every mark has a shape and a name of its own", () => {
  for (const table of [SHAPES, LEGEND]) assert.deepEqual(Object.keys(table).sort(), [...MARKS].sort());
  assert.equal(new Set(Object.values(SHAPES)).size, MARKS.length);
});

test("confidence gets lighter as it grows, and the ink on it stays readable", () => {
  const light = [0, 0.25, 0.5, 0.75, 1].map((value) => cividis(value).reduce((sum, part) => sum + part, 0));
  assert.deepEqual(
    [...light].sort((a, b) => a - b),
    light,
  );
  assert.notEqual(inkOn(cividis(0)), inkOn(cividis(1)));
});

test("spaces and line breaks of a piece can be seen, and markup stays as it is", () => {
  assert.equal(visible("  the"), "\u00b7\u00b7the");
  assert.equal(visible("\n"), "\u21b5");
  assert.equal(visible("<img onerror=alert(1)>"), "<img onerror=alert(1)>");
});

test("the timeline counts every commit once", () => {
  const events = records.filter((line) => line.type === "step").flatMap((step) => step.events);
  const counted = [...committedByBranch(recording.steps).values()].flat().reduce((sum, count) => sum + (count ?? 0), 0);
  assert.equal(counted, events.filter((event) => event.type === "commit").length);
});

test("marks that share a place are told apart", () => {
  const places = kindsByPlace([
    { step: 1, kind: "merge", branch: 4 },
    { step: 1, kind: "sync", branch: 4 },
    { step: 1, kind: "eos", branch: 4 },
  ]);
  assert.deepEqual([...places.values()], [["merge", "sync"], ["eos"]]);
});

test("a live axis leaves room and is seldom drawn anew", () => {
  assert.deepEqual(
    [slots(0, true), slots(15, true), slots(16, true), slots(31, true), slots(33, false)],
    [16, 16, 32, 32, 33],
  );
});

test("jumping goes to the nearest step with a mark, or nowhere", () => {
  const marks = [{ step: 2 }, { step: 5 }];
  assert.deepEqual([nextMarked(marks, 2, 1), nextMarked(marks, 2, -1), nextMarked(marks, 9, -1)], [5, null, 5]);
});

test("the first step's candidates are those of every branch", () => {
  const { branch, positions } = records[1].candidates[0];
  const best = candidatesAt(recording, 0, branch, positions[0]);
  assert.equal(best.length, records[1].candidates[0].counts[0]);
  assert.deepEqual(candidatesAt(recording, 0, recording.frame(0).ordered.at(-1).size, positions[0]), best);
});

test("a pixel is solid for a token, faint for a candidate, clear for neither", () => {
  const branch = recording.frame(0).ordered[0];
  const alphas = [...pixelRow(branch)].filter((_, index) => index % 4 === 3);
  alphas.forEach((alpha, p) => assert.equal(alpha === 255, branch.token[p] >= 0));
  assert.ok(alphas.some((alpha) => alpha > 0 && alpha < 255));
});

test("keys typed into a field belong to the field", () => {
  const target = (selector) => ({ matches: () => false, closest: (list) => (list.includes(selector) ? {} : null) });
  const key = (name, at, shiftKey = false) => actionOf({ key: name, target: at, shiftKey });
  assert.equal(key(" ", target("textarea")), null);
  assert.equal(key(" ", target("button")), null);
  assert.deepEqual(key(" ", target("nothing")), { name: "toggle" });
  assert.deepEqual(key("ArrowLeft", target("button"), true), { name: "event", direction: -1 });
  assert.deepEqual(key("3", target("nothing")), { name: "branch", index: 2 });
});
