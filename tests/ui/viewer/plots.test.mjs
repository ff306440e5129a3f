import assert from "node:assert/strict";
import { test } from "node:test";

import { Pacer, REST } from "../../../assets/viewer/pacer.mjs";
import { along, dressed, rangesKept } from "../../../assets/viewer/plots.mjs";
import { runs } from "./traces.mjs";

const colours = { dim: "#111", ink: "#222", panel: "#333", line: "#444", sans: "sans", merge: "#0072b2", accent: "#00f" };

test("a figure takes the colours of the theme, and leaves those of confidence alone", () => {
  const { step, branches } = runs[0].expected.figures;
  const ranges = [step.layout.xaxis.range, step.layout.yaxis.range];
  const { data, layout } = dressed(step, colours, 800, ranges, ["xaxis"]);
  assert.equal(data[0].marker.color, colours.accent);
  assert.equal(data.find(({ name }) => name === "consensus commit").marker.color, colours.merge);
  assert.equal(layout.font.color, colours.dim);
  const map = Object.values(branches)[0];
  assert.equal(dressed(map, colours, 300, ranges, []).data[0].colorscale, map.data[0].colorscale);
});

test("what plotly writes into a figure stays in it", () => {
  const { step } = runs[0].expected.figures;
  const before = JSON.stringify(step);
  const { layout } = dressed(step, colours, 800, [step.layout.xaxis.range, step.layout.yaxis.range], ["xaxis"]);
  layout.xaxis.range[0] = 3;
  layout.yaxis.range[1] = 4;
  assert.equal(JSON.stringify(step), before);
});

test("an axis of few steps has a tick at each, one of many leaves that to plotly", () => {
  const { step } = runs[0].expected.figures;
  const tick = (span) => dressed(step, colours, 800, [[0.5, 0.5 + span], [0, 7]], ["xaxis"]).layout.xaxis.dtick;
  assert.deepEqual([tick(4), tick(40)], [1, undefined]);
});

test("a figure shows the part that it is asked to", () => {
  const { step } = runs[0].expected.figures;
  const { layout } = dressed(step, colours, 800, [[3, 8], [0, 2]], ["xaxis"]);
  assert.deepEqual([layout.xaxis.range, layout.yaxis.range], [[3, 8], [0, 2]]);
});

test("a zoomed axis stays as it is while the figure grows, and the others grow with it", () => {
  const layout = (x, y, uirevision = "run step 0") => ({ xaxis: { range: x }, yaxis: { range: y }, uirevision });
  const [small, large] = [layout([0.5, 16.5], [0, 6]), layout([0.5, 32.5], [0, 7])];
  const home = [[0.5, 16.5], [0, 6]];
  assert.deepEqual(rangesKept(small, undefined, undefined), home);
  assert.deepEqual(rangesKept(large, layout([3, 8], [0, 6]), home), [[3, 8], [0, 7]]);
  assert.deepEqual(rangesKept(large, small, home), [[0.5, 32.5], [0, 7]], "what was not zoomed is not kept");
  assert.deepEqual(rangesKept(layout([0.5, 32.5], [0, 7], "run step 1"), layout([3, 8], [0, 6]), home), [[0.5, 32.5], [0, 7]]);
});

test("marks shrink as steps become narrow", () => {
  const { step } = runs[0].expected.figures;
  const size = (span) => dressed(step, colours, 800, [[0, span], [0, 7]], []).data[1].marker.size;
  assert.ok(size(500) < size(100) && size(100) < size(8));
  assert.equal(size(8), 9);
});

test("a part of an axis lies at its shares, whichever way the axis runs", () => {
  assert.deepEqual(along([1, 2], [0, 4]), { at: 25, size: 25 });
  assert.deepEqual(along([1, 2], [4, 0]), { at: 50, size: 25 });
  assert.deepEqual(along([3, 4.5], [0, 4]), { at: 75, size: 37.5 });
  assert.deepEqual(along(null, [0, 4]), { at: 0, size: 100 });
});

/** A pacer on a clock of its own; what is drawn takes `cost` milliseconds. */
function paced(cost) {
  const run = { now: 0, drawn: [], timers: [] };
  const pacer = new Pacer(
    () => run.now,
    (act, wait) => {
      run.timers.push({ act, at: run.now + wait });
      run.timers.sort((one, other) => one.at - other.at);
    },
  );
  const thing = (name) => ({
    render() {
      run.drawn.push([name, run.now]);
      run.now += cost;
    },
  });
  const until = (end) => {
    while (run.timers.length && run.timers[0].at <= end) {
      const { act, at } = run.timers.shift();
      run.now = Math.max(run.now, at);
      act();
    }
    run.now = Math.max(run.now, end);
  };
  return { run, pacer, thing, until };
}

test("nothing is drawn before the start, then everything once", () => {
  const { run, pacer, thing, until } = paced(10);
  const [a, b] = [thing("a"), thing("b")];
  for (const one of [a, b, a]) pacer.ask(one);
  until(1000);
  assert.deepEqual(run.drawn, []);
  pacer.start();
  pacer.ask(a);
  assert.equal(run.timers.length, 1, "one turn is planned at a time");
  until(2000);
  assert.deepEqual(
    run.drawn.map(([name]) => name),
    ["a", "b"],
  );
});

test("when a run has ended, what waits for the rest of a live one is drawn after the shorter rest, and once", () => {
  const { run, pacer, thing, until } = paced(100);
  const map = thing("map");
  pacer.rest = REST.live;
  pacer.start();
  pacer.ask(map);
  until(0);
  pacer.ask(map);
  until(300);
  pacer.rest = REST.still;
  until(10_000);
  assert.deepEqual(run.drawn, [["map", 0], ["map", 100 + REST.still * 100]]);
});

test("between slow steps of a live run all is drawn that fits, and nothing that would meet the next step", () => {
  const { run, pacer, thing, until } = paced(30);
  const things = ["timeline", "branches", "history"].map(thing);
  pacer.rest = REST.live;
  pacer.start();
  for (let step = 0; step < 20; step += 1) {
    until(200 * step);
    pacer.arrived();
    for (const one of things) pacer.ask(one);
  }
  const drawn = run.drawn.filter(([, at]) => at >= 400 && at < 3800);
  assert.equal(drawn.length, 17 * things.length);
  for (const [, at] of drawn) assert.ok((at % 200) + 30 <= 200, `at ${at}`);
});

test("between quick steps of a live run the rest holds", () => {
  const { run, pacer, thing, until } = paced(40);
  const map = thing("map");
  pacer.rest = REST.live;
  pacer.start();
  for (let now = 0; now < 10_000; now += 50) {
    until(now);
    pacer.arrived();
    pacer.ask(map);
  }
  assert.ok(run.drawn.length <= 10_000 / (40 * (REST.live + 1)) + 2, `${run.drawn.length} times`);
  assert.ok(run.drawn.length > 8);
});

for (const [state, share] of [
  ["still", 6],
  ["live", 20],
]) {
  test(`${state}: drawing takes at most 1/${share} of the time however often it is asked for, and ends up to date`, () => {
    const { run, pacer, thing, until } = paced(20);
    const map = thing("map");
    pacer.rest = REST[state];
    pacer.start();
    let asked = 0;
    while (run.now < 3000) {
      asked = run.now;
      pacer.ask(map);
      until(run.now + 16);
    }
    until(10_000);
    assert.ok(run.drawn.length * 20 <= 3000 / share + 40, `${run.drawn.length} times`);
    assert.ok(run.drawn.length > 5);
    assert.ok(run.drawn.at(-1)[1] >= asked);
  });
}
