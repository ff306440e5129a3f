import assert from "node:assert/strict";
import { test } from "node:test";

import { agreementOf, FILLS, holders } from "../../../assets/viewer/fills.mjs";
import { MASKED } from "../../../assets/viewer/fold.mjs";
import { agreement } from "../../../assets/viewer/metrics.mjs";
import { runs } from "./traces.mjs";

const row = (...token) => ({ token });

test("agreement: all that hold a token, some another one, or nobody else", () => {
  const branches = [row(5, 5, 5), row(5, 6, MASKED), row(MASKED, 5, MASKED)];
  assert.deepEqual(
    [0, 1, 2].map((p) => agreementOf(holders(branches, p, 5))),
    ["agrees", "parts", "alone"],
  );
  const { bar } = FILLS.agreement.written({ branch: branches[0], branches, position: 1 });
  assert.equal(bar, 2 / 3);
});

test("where every branch holds a token, the fill agrees with the figure of agreement", () => {
  for (const { recording } of runs) {
    const branches = recording.frame(recording.steps.length - 1).ordered;
    if (branches.length < 2) continue;
    const whole = [...branches[0].token].map((token, p) => holders(branches, p, token));
    const agreed = whole.filter((count) => count.held === branches.length && agreementOf(count) === "agrees").length;
    assert.equal(agreed, agreement(branches).same);
  }
});

test("every fill gives every cell of a real run a colour or none, and has a legend", () => {
  const { recording } = runs[0];
  const frame = recording.frame(5);
  for (const fill of Object.values(FILLS)) {
    assert.ok(fill.legend({ count: 9 }).length >= 2);
    for (const branch of frame.ordered) {
      for (let position = 0; position < recording.length; position += 1) {
        const cell = { branch, position, branches: frame.ordered, count: recording.steps.length };
        const { colour, bar = null } = (branch.token[position] === MASKED ? fill.draft : fill.written)(cell) ?? {};
        if (colour) for (const part of colour) assert.ok(part >= 0 && part <= 255);
        if (bar !== null) assert.ok(bar >= 0 && bar <= 1);
      }
    }
  }
});

test("the entropy of a cell is the recorded one of the most recent forward there", () => {
  const { recording } = runs[0];
  recording.steps.forEach((step, n) => {
    for (const { branch, positions, entropy } of step.candidates)
      positions.forEach((position, index) =>
        assert.equal(recording.frame(n).branches.get(branch).entropy[position], Math.fround(entropy[index])),
      );
  });
});
