import assert from "node:assert/strict";
import { test } from "node:test";

import {
  cellHistory,
  cellSentence,
  chance,
  changeText,
  happeningSentence,
  limit,
  limitsOf,
  limitWords,
  markWords,
  quoted,
  stepSentence,
} from "../../../assets/viewer/sentences.mjs";
import { Branch, happenings, HOW } from "../../../assets/viewer/fold.mjs";
import { runs } from "./traces.mjs";

const header = { eos_id: 1 };
const texts = new Map([[7, " five"], [8, " six"]]);
const cell = (fields) => ({
  size: 8,
  window: [0, 8],
  token: [-1],
  was: [-1],
  how: [0],
  confidence: [0],
  since: [-1],
  source: [0],
  draft: [7],
  draftConfidence: [0.61],
  seen: [2],
  ...fields,
});
const recording = { header, text: (token) => texts.get(token), frame: () => frame };
const frame = { step: 2, config: { commit_threshold: 0.9, merge_threshold: 0.5 } };
const say = (fields) => cellSentence(recording, frame, cell(fields), 0);

test("a threshold has the digits that it was set with, and a probability as many as show its side of it", () => {
  assert.deepEqual([0.9, "0.5", 1, 0.905, 0.12345, 2].map(limit), ["0.90", "0.50", "1.00", "0.905", "0.12345", "2.00"]);
  const told = (probability, threshold) => chance(probability, threshold);
  assert.equal(told(0.93, 0.905), "0.93");
  assert.equal(told(0.9051, 0.905), "0.9051");
  assert.equal(told(0.9049, 0.905), "0.90");
  assert.equal(told(0.905, 0.905), "0.905");
  assert.equal(told(0.503, 0.5), "0.503");
  assert.equal(told(0.5, 0.5), "0.50");
  assert.equal(told(0.8999, 0.9), "0.89");
  assert.equal(told(0.50001, 0.5), "0.5000");
});

test("a cell that was committed with the threshold itself says so", () => {
  const branch = new Branch(8, 1);
  branch.write(0, 7, HOW.commit, 0.9, 2);
  const sentence = cellSentence(recording, frame, branch, 0);
  assert.equal(sentence, "Committed at step 3: \u201cfive\u201d 0.90 reached the commit threshold 0.90.");
});

test("each state of a cell is explained with its numbers", () => {
  assert.equal(say({}), "Held: best candidate \u201cfive\u201d 0.61 < 0.90, the commit threshold.");
  assert.match(say({ seen: [-1] }), /^Still masked: no window of block 8/);
  assert.match(
    say({ window: [8, 16] }),
    /^Still masked, outside the active window: best candidate \u201cfive\u201d 0.61/,
  );
  const written = { token: [7], confidence: [0.93], since: [2] };
  assert.equal(
    say({ ...written, how: [1] }),
    "Committed at step 3: \u201cfive\u201d 0.93 reached the commit threshold 0.90.",
  );
  assert.match(say({ ...written, how: [2] }), /^Forced at step 3: \u201cfive\u201d 0.93 was the most confident/);
  assert.match(
    say({ ...written, how: [3], source: [32] }),
    /^Consensus commit from block 32 at step 3: this branch gives \u201cfive\u201d 0.93, above the merge threshold 0.50/,
  );
  assert.equal(
    say({ ...written, how: [4], source: [64] }),
    "Copied by the leader reset from block 64 at step 3: the leader holds \u201cfive\u201d with 0.93.",
  );
  assert.equal(
    say({ ...written, how: [4], source: [64], was: [8] }),
    "Overwritten by the leader reset from block 64 at step 3 (was \u201csix\u201d): the leader holds \u201cfive\u201d with 0.93.",
  );
  assert.equal(
    say({ since: [2], source: [64], was: [8] }),
    "Taken back by the leader reset from block 64 at step 3 (was \u201csix\u201d). Held: best candidate \u201cfive\u201d 0.61 < 0.90, the commit threshold.",
  );
});

test("a token of a decoder with one block size is explained by that decoder's own rule", () => {
  const told = (decoder, fields) => {
    const config = { commit_threshold: 0.9 }; // a baseline has neither a joint nor a merge threshold
    return cellSentence({ ...recording, header: { ...header, decoder } }, { step: 2, config }, cell(fields), 0);
  };
  const written = (confidence) => ({ token: [7], confidence: [confidence], since: [2], how: [1] });
  const step = "Committed at step 3: \u201cfive\u201d";
  assert.equal(told("dual-cache", written(0.93)), `${step} 0.93 reached the commit threshold 0.90.`);
  assert.equal(told("local-leap", written(0.93)), `${step} 0.93 reached the commit threshold 0.90.`);
  assert.equal(told("local-leap", written(0.8)), `${step} 0.80 stood near a token that reached the commit threshold 0.90.`);
  for (const decoder of ["vanilla", "factor"]) {
    assert.equal(told(decoder, written(0.4)), `${step} 0.40 was among the most confident of its block.`);
    assert.equal(told(decoder, written(0.93)), `${step} 0.93 was among the most confident of its block.`);
    assert.equal(told(decoder, {}), "Held: best candidate \u201cfive\u201d 0.61 was not among the most confident of its block.");
  }
  assert.match(told("dual-cache", {}), /0.61 < 0.90, the commit threshold/);
});

test("the lines over the candidates are the thresholds that the decoder looks at", () => {
  const of = (decoder, config) => [limitsOf({ header: { decoder } }, config), limitWords({ header: { decoder } }, config)];
  const both = { commit_threshold: 0.9, merge_threshold: 0.5 };
  assert.deepEqual(of("paper", both), [Object.keys(both), "dashed lines: commit 0.90 \u00b7 merge 0.50"]);
  assert.deepEqual(of("dual-cache", { commit_threshold: 0.9 }), [["commit_threshold"], "dashed lines: commit 0.90"]);
  assert.deepEqual(of("vanilla", { commit_threshold: 0.9 }), [[], "vanilla commits by rank, not by a threshold"]);
});

test("every cell of every step of a real run has a sentence", () => {
  for (const { recording: run } of runs) {
    for (let step = 0; step < run.steps.length; step += 5) {
      for (const branch of run.frame(step).ordered) {
        for (let p = 0; p < run.length; p += 7)
          assert.match(cellSentence(run, run.frame(step), branch, p), /^[A-Z].*\.$/s);
      }
    }
  }
});

test("a step is told in one sentence, with the words of the screen", () => {
  for (const { recording: run } of runs) {
    for (const step of run.steps) {
      const sentence = stepSentence(step);
      assert.match(sentence, /^(First forward|Denoise|Full recompute|Step computed ahead): .*\.$/);
      assert.equal(
        sentence.includes("leader reset"),
        step.events.some((event) => event.type === "sync"),
      );
      assert.equal(
        sentence.includes("consensus commit"),
        step.events.some((event) => event.type === "merge"),
      );
    }
  }
});

test("changes are told", () => {
  assert.equal(
    changeText({ type: "config", field: "commit_threshold", old: 0.9, new: 0.8 }),
    "commit threshold set from 0.9 to 0.8",
  );
  assert.equal(changeText({ type: "resize", branch: 32, size: 48 }), "block 32 resized to 48");
  assert.equal(changeText({ type: "commit" }), null);
  assert.equal(markWords("merge", [{ branch: 8 }, { branch: 8 }]), "block 8: 2 consensus commits");
});

test("the history of a position holds what happened there, in order", () => {
  const { recording: run, records } = runs[0];
  const step = records.find((line) => line.type === "step" && line.events.some((event) => event.type === "commit"));
  const { branch, position } = step.events.find((event) => event.type === "commit");
  const history = cellHistory(run, run.steps.length - 1, branch, position);
  assert.ok(history.some((entry) => entry.step === step.index && entry.type === "commit"));
  assert.deepEqual(
    history.map((entry) => entry.step),
    history.map((entry) => entry.step).sort((a, b) => a - b),
  );
});

test("each written cell has a history that ends with how it came, whatever its branch was called then", () => {
  const last = { 1: "commit", 2: "commit", 3: "merge", 4: "sync" };
  for (const { recording: run } of runs) {
    for (let n = 0; n < run.steps.length; n += 3) {
      for (const { size, token, how, since } of run.frame(n).ordered) {
        for (let p = 0; p < run.length; p += 5) {
          if (token[p] < 0) continue;
          const { step, type } = cellHistory(run, n, size, p).filter((entry) => entry.type !== "eos").at(-1);
          assert.deepEqual([step, type], [since[p], last[how[p]]], `block ${size}, position ${p}, step ${n}`);
        }
      }
    }
  }
});

test("a branch that comes back has nothing of the one that was dropped", () => {
  const commit = (branch, position) => ({ type: "commit", branch, position, token: 7, probability: 0.9, forced: false });
  const step = (index, ...events) => ({ index, kind: "denoise", events });
  const steps = [
    step(0, commit(8, 0), commit(4, 1)),
    step(1, { type: "drop", branch: 8 }),
    step(2, { type: "add", branch: 8, source: 4 }, commit(8, 2)),
  ];
  const counts = [0, 1, 2].map((position) => cellHistory({ ...recording, steps }, 2, 8, position).length);
  assert.deepEqual(counts, [0, 1, 1]);
});

test("a token that runs from right to left stays apart from the sentence, and others are left as they are", () => {
  const say = (text) => quoted({ header, text: () => text }, 7);
  assert.equal(say(" \u05e9\u05dc\u05d5\u05dd"), "\u201c\u2068\u05e9\u05dc\u05d5\u05dd\u2069\u201d");
  assert.equal(say("a\u202eb"), "\u201c\u2068a\u202eb\u2069\u201d");
  for (const text of ["five", "\u4e94", "<b>", "\u{1f469}\u200d\u{1f4bb}"]) assert.equal(say(text), `\u201c${text}\u201d`);
});

test("probabilities are never rounded up to a threshold", () => {
  const told = [0.8999, 0.9, 0.99996, 0.29].map((probability) => chance(probability));
  assert.deepEqual(told, ["0.89", "0.90", "0.99", "0.29"]);
});

test("every event inside a step has a sentence that names it", () => {
  for (const { recording: run } of runs) {
    for (const step of run.steps) {
      happenings(step).forEach((event, index) => {
        const sentence = happeningSentence(run, step, index + 1);
        assert.match(sentence, /^Event \d+ of \d+: .*[^.]\.$/s);
        if (event.position !== undefined) assert.ok(sentence.includes(`position ${event.position}`));
      });
    }
  }
});
