import assert from "node:assert/strict";
import { test } from "node:test";

import { flips, flipSentence, notFinal, obstacle, wouldCommit } from "../../../assets/viewer/whatif.mjs";
import { runs } from "./traces.mjs";

const own = (recording, n) => {
  const { commit_threshold: commit, merge_threshold: merge } = recording.frame(n).config;
  return { commit, merge };
};
const sure = (threshold) => (cell) => cell.probability >= threshold;
const branches = (cells) => [...new Set(cells.map((cell) => cell.branch))];

for (const { name, recording } of runs) {
  test(`${name}: under the thresholds in force nothing flips, at any step`, () => {
    recording.steps.forEach((step, n) => {
      assert.equal(obstacle(recording, recording.frame(n).config), null);
      assert.deepEqual(flips(recording, n, own(recording, n)), { gained: [], lost: [], unmerged: [] }, `step ${n}`);
      const commits = step.events.filter((event) => event.type === "commit");
      const judged = wouldCommit(recording, n, own(recording, n).commit);
      assert.deepEqual(
        judged.map(({ branch, position, token, forced }) => [branch, position, token, forced]),
        commits.map(({ branch, position, token, forced }) => [branch, position, token, forced]),
      );
    });
  });

  test(`${name}: a lower commit threshold only adds, a higher one takes away, each branch keeps its best`, () => {
    recording.steps.forEach((step, n) => {
      const { commit, merge } = own(recording, n);
      const low = flips(recording, n, { commit: 0, merge });
      assert.deepEqual(low.lost, []);
      assert.equal(wouldCommit(recording, n, 0).length, step.candidates.reduce((sum, one) => sum + one.positions.length, 0));
      const high = flips(recording, n, { commit: 2, merge });
      assert.deepEqual(high.gained, []);
      const kept = wouldCommit(recording, n, 2);
      const forced = kept.filter((cell) => cell.forced);
      const jointly = branches(kept.filter((cell) => !cell.forced));
      assert.ok(!jointly.length || recording.header.config.joint_threshold < 1);
      assert.equal(forced.length + jointly.length, branches(kept).length);
      assert.ok(high.lost.every(sure(commit)));
    });
  });

  test(`${name}: a higher merge threshold gives up exactly the merges below it`, () => {
    recording.steps.forEach((step, n) => {
      const merges = step.events.filter((event) => event.type === "merge");
      const { unmerged } = flips(recording, n, { ...own(recording, n), merge: 0.8 });
      assert.equal(unmerged.length, merges.filter((event) => !sure(0.8)(event)).length);
    });
  });
}

test("the flips are told in one sentence with their counts", () => {
  const { recording } = runs.find((run) => run.name === "word problem") ?? runs[0];
  const thresholds = { commit: 0.9, merge: 0.5 };
  const cells = (count) => Array.from({ length: count }, () => ({ branch: 4, position: 0, token: -7 }));
  const say = (found, asked) =>
    flipSentence(recording, { gained: [], lost: [], unmerged: [], ...found }, thresholds, { ...thresholds, ...asked });
  assert.equal(notFinal(recording, cells(2)).length, 2);
  assert.equal(
    say({ gained: cells(1) }),
    "At this step 1 more cell would commit, and it is not what was finally written.",
  );
  assert.equal(say({}), "At this step nothing would flip.");
  assert.equal(
    say({ gained: cells(7) }),
    "At this step 7 more cells would commit, 7 of them not what was finally written.",
  );
  assert.equal(
    say({ lost: cells(1), unmerged: cells(2) }),
    "At this step 1 cell would not commit; 2 consensus commits would not be taken.",
  );
  assert.match(say({}, { merge: 0.2 }), /lower merge threshold adds cannot be judged/);
});

test("of a run that has not ended nothing is said about what was finally written", () => {
  const { recording } = runs[0];
  const open = Object.create(recording, { end: { value: null } });
  const gained = [{ branch: 4, position: 0, token: -7 }];
  assert.deepEqual([notFinal(recording, gained), notFinal(open, gained)], [gained, []]);
  const own = { commit: 0.9, merge: 0.5 };
  assert.equal(
    flipSentence(open, { gained, lost: [], unmerged: [] }, own, own),
    "At this step 1 more cell would commit.",
  );
});

test("what cannot be judged says why", () => {
  const run = (decoder) => ({ header: { decoder } });
  assert.match(obstacle(run("factor"), {}), /does not commit by a threshold/);
  assert.match(obstacle(run("local-leap"), {}), /a lower threshold, too/);
  assert.equal(obstacle(run("dual-cache"), { temperature: 0 }), null);
  assert.match(obstacle(run("paper"), { temperature: 0.4 }), /At temperature 0.4/);
});
