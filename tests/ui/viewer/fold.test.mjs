import assert from "node:assert/strict";
import { test } from "node:test";

import { happenings, HOW, MASKED } from "../../../assets/viewer/fold.mjs";
import { candidatesAt } from "../../../assets/viewer/panels.mjs";
import { runs } from "./traces.mjs";

for (const { name, recording, expected } of runs) {
  test(`${name}: the fold arrives at Python's rows at every step`, () => {
    expected.rows.forEach((rows, step) => {
      const frame = recording.frame(step);
      assert.deepEqual([...frame.branches.keys()].map(String).sort(), Object.keys(rows).sort(), `step ${step}`);
      for (const [size, row] of Object.entries(rows)) {
        assert.deepEqual([...frame.branches.get(Number(size)).token], row, `step ${step}, block ${size}`);
      }
    });
  });

  test(`${name}: a frame does not depend on the order in which frames are asked for`, () => {
    const last = recording.steps.length - 1;
    const before = JSON.stringify([...recording.frame(last).ordered[0].token]);
    for (const step of [0, last, 3, 7, 8, last]) recording.frame(Math.min(step, last));
    assert.equal(JSON.stringify([...recording.frame(last).ordered[0].token]), before);
  });

  test(`${name}: the settings in force follow the changes`, () => {
    assert.deepEqual(recording.frame(recording.steps.length - 1).config.commit_threshold, expected.commit_threshold);
  });

  test(`${name}: each token knows how it came, and only tokens do`, () => {
    for (const branch of recording.frame(recording.steps.length - 1).ordered) {
      branch.token.forEach((token, p) => assert.equal(token === MASKED, branch.how[p] === HOW.masked));
    }
  });

  test(`${name}: \`decoded\` before a step's forward is what the fold arrived at after the step before`, () => {
    for (const step of recording.steps.slice(1)) {
      const structure = step.events.some((event) => ["add", "drop", "resize"].includes(event.type));
      if (structure) continue;
      const frame = recording.frame(step.index - 1);
      for (const state of step.branches)
        assert.equal(frame.branches.get(state.branch).decoded, state.decoded, `step ${step.index}`);
    }
  });
}

for (const { name, recording } of runs) {
  test(`${name}: walking a step's events arrives at the step, one change at a time`, () => {
    for (const step of recording.steps.slice(0, 12)) {
      const all = happenings(step);
      let before = recording.frame(step.index - 1);
      all.forEach((happening, index) => {
        const frame = recording.frame(step.index, index + 1);
        const changed = frame.ordered.map((branch) => differing(before.branches.get(branch.size), branch));
        if (["commit", "merge"].includes(happening.type)) assert.deepEqual(changed.flat(), [happening.position]);
        if (["forward", "eos", "config"].includes(happening.type)) assert.deepEqual(changed.flat(), []);
        before = frame;
      });
      assert.deepEqual({ ...before, until: 0 }, { ...recording.frame(step.index), until: 0 });
    }
  });
}

/** The positions at which two branches differ; none where one is new. */
function differing(before, after) {
  return before ? [...after.token.keys()].filter((p) => before.token[p] !== after.token[p]) : [];
}

test("a consensus commit and a copy name the branch they came from", () => {
  const { recording } = runs[0];
  const merge = recording.steps
    .flatMap((step) => step.events.map((event) => ({ ...event, step: step.index })))
    .find((event) => event.type === "merge");
  const branch = recording.frame(merge.step).branches.get(merge.branch);
  assert.equal(branch.how[merge.position], HOW.merge);
  assert.equal(branch.source[merge.position], merge.source);
  assert.equal(branch.since[merge.position], merge.step);
});

test("a cell that a leader reset changed knows what it held", () => {
  const held = new Set();
  for (const { name, recording } of runs) {
    for (const step of recording.steps) {
      happenings(step).forEach(({ type, branch, positions }, index) => {
        if (type !== "sync") return;
        const [before, after] = [index, index + 1].map((until) => recording.frame(step.index, until).branches.get(branch));
        for (const p of positions) {
          assert.equal(after.was[p], before.token[p], `${name}, step ${step.index}, block ${branch}, position ${p}`);
          held.add(before.token[p] === MASKED ? "nothing" : after.token[p] === MASKED ? "taken back" : "overwritten");
        }
      });
    }
  }
  assert.deepEqual([...held].sort(), ["nothing", "overwritten", "taken back"]);
});

test("the candidates that a draft came from are found, also where its branch had another name then", () => {
  for (const { name, recording } of runs) {
    for (let n = 0; n < recording.steps.length; n += 3) {
      for (const { size, seen, seenBy, draft } of recording.frame(n).ordered) {
        for (let p = 0; p < recording.length; p += 5) {
          const [best] = candidatesAt(recording, seen[p], seenBy[p], p);
          assert.equal(best?.[0] ?? MASKED, draft[p], `${name}, step ${n}, block ${size}, position ${p}`);
        }
      }
    }
  }
});
