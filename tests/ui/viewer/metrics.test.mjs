import assert from "node:assert/strict";
import { test } from "node:test";

import { happenings } from "../../../assets/viewer/fold.mjs";
import { agreement, duration, figures, forwards, over, speaker, tokensBefore } from "../../../assets/viewer/metrics.mjs";
import { runs } from "./traces.mjs";

for (const { name, recording, expected } of runs) {
  test(`${name}: totals and agreement equal Python's at every step`, () => {
    expected.totals.forEach((totals, step) => {
      const { init, denoise, refresh, committed, merged, copied } = recording.ledger.at(step);
      assert.deepEqual({ init, denoise, refresh, committed, merged, copied }, totals, `step ${step}`);
    });
    expected.agreement.forEach(([same, held], step) => {
      assert.deepEqual(agreement(recording.frame(step).ordered), { same, held }, `step ${step}`);
    });
  });

  test(`${name}: every figure names what it is divided by`, () => {
    const frame = recording.frame(recording.steps.length - 1);
    const shown = figures(recording, frame);
    const forwardsUpTo = (n) => recording.steps.slice(0, n).filter(({ kind }) => kind !== "ahead").length;
    assert.equal(shown.length, 6);
    assert.equal(Number(shown[0].value), forwardsUpTo(recording.steps.length));
    assert.match(shown[1].detail, /^\d+ tokens of block \d+ \/ \d+ forwards$/);
    assert.match(shown[3].detail, /^of \d+ tokens written/);
    assert.match(shown[5].detail, /^(\d+ of \d+ positions that all \d+ hold|there is only one branch)$/);
  });
}

for (const { name, recording } of runs) {
  test(`${name}: inside a step the totals go from those before it to its own, one happening after the other`, () => {
    recording.steps.forEach((step, n) => {
      const all = happenings(step);
      const before = recording.ledger.at(n - 1);
      assert.deepEqual(recording.ledger.within(step, 0), before);
      const whole = structuredClone(recording.ledger.at(n));
      const inside = recording.ledger.within(step, all.length);
      for (const part of ["consensus", "recording"]) whole.milliseconds[part] = before.milliseconds[part];
      assert.deepEqual(inside, whole);
      const forward = all.findIndex(({ type }) => type === "forward");
      const own = step.kind === "ahead" ? 0 : 1;
      assert.equal(forwards(recording.ledger.within(step, forward)), forwards(before));
      assert.equal(forwards(recording.ledger.within(step, forward + 1)), forwards(before) + own);
    });
  });

  test(`${name}: the figures of a frame inside a step leave out what has not happened`, () => {
    const n = recording.steps.findIndex(({ events }) => events.some(({ type }) => type === "commit"));
    const all = happenings(recording.steps[n]);
    const first = all.findIndex(({ type }) => type === "commit") + 1;
    const written = (until) => Number(figures(recording, recording.frame(n, until))[3].detail.match(/of (\d+) tokens/)[1]);
    assert.equal(written(first), written(first - 1) + 1);
    assert.equal(written(all.length), written(null));
  });
}

for (const { name, recording } of runs) {
  test(`${name}: the winner speaks when the run is over, and inside its last step the leader still does`, () => {
    const n = recording.steps.length - 1;
    const [whole, inside] = [recording.frame(n), recording.frame(n, 1)];
    assert.deepEqual([over(recording, whole), speaker(recording, whole).size], [true, recording.end.winner]);
    assert.deepEqual([over(recording, inside), speaker(recording, inside)], [false, inside.leader]);
    assert.equal(over(recording, recording.frame(n - 1)), false);
  });
}

test("tokens after the first end of text do not count", () => {
  assert.equal(tokensBefore(Int32Array.from([5, -1, 6, 1, 7]), 1), 2);
  assert.equal(tokensBefore(Int32Array.from([5, -1, 6]), 1), 2);
});

test("before the first step nothing has been forwarded", () => {
  assert.equal(forwards(runs[0].recording.ledger.at(-1)), 0);
});

test("an agreement of all but one is not one of all", () => {
  const { recording } = runs[0];
  const frame = recording.frame(3).clone();
  const branch = (token) => ({ ...frame.leader, token: Int32Array.from({ length: 1000 }, (_, p) => (p ? 5 : token)) });
  const shown = (...branches) => {
    Object.defineProperty(frame, "ordered", { value: branches, configurable: true });
    return figures(recording, frame)[5].value;
  };
  assert.deepEqual([shown(branch(5), branch(5)), shown(branch(5), branch(6))], ["100%", "99%"]);
});

test("durations are short and keep their unit", () => {
  assert.deepEqual([0.04, 9.94, 9.96, 812.4, 12345].map(duration), ["0.0 ms", "9.9 ms", "10 ms", "812 ms", "12.3 s"]);
});
