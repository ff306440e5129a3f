import assert from "node:assert/strict";
import { test } from "node:test";

import { HOW, MASKED } from "../../../assets/viewer/fold.mjs";
import { lessonCards } from "../../../assets/viewer/teachcards.mjs";
import {
  allHappenings,
  answerOf,
  firstMerge,
  firstRecompute,
  frameAt,
  heldCandidate,
  partingAndMeeting,
  sharedStart,
  tellingReset,
} from "../../../assets/viewer/teachmoments.mjs";
import { quoted } from "../../../assets/viewer/sentences.mjs";
import { record, runs } from "./traces.mjs";

const many = runs.filter(({ recording }) => recording.header.config.block_sizes?.length > 1);
const contrast = { decoder: "dual-cache", block_size: 32, forwards: 17, tokens: 40 };
const words = (text) => text.split(/\s+/).length;
const cardOf = (cards, id) => cards.find((card) => card.id === id);

/** A run of two branches made by hand: block 2 writes "six" and "b", block 4 "five"; then block 4 leads and resets it. */
function handMade(changes = {}) {
  const header = {
    type: "header", run: "hand", decoder: "paper", prompt: "p", eos_id: 1,
    config: { variant: "paper", block_sizes: [2, 4], gen_length: 4, commit_threshold: 0.9, merge_threshold: 0.5,
      sync_threshold: 0, refresh_interval: 4 },
    pieces: { 1: "", 5: " five", 6: " six", 7: " a", 8: " b" },
  }; // prettier-ignore
  const state = (branch, decoded) => ({ branch, window: [0, branch], decoded, done: false, forward: true });
  const commit = (branch, position, token) => ({ type: "commit", branch, position, token, probability: 0.95, forced: false });
  const look = (branch, positions, tokens, probabilities) => ({
    branch, positions, tokens, probabilities, counts: positions.map(() => 1), entropy: positions.map(() => 0.5),
  }); // prettier-ignore
  const step = (index, kind, decoded, candidates, events) => ({
    type: "step", index, kind, candidates, events, pieces: {}, milliseconds: { forward: 1, consensus: 0, recording: 0 },
    branches: [state(2, decoded[0]), state(4, decoded[1])],
  }); // prettier-ignore
  const steps = [
    step(0, "init", [0, 0], [look(2, [0, 1, 2, 3], [6, 8, 7, 8], [0.95, 0.7, 0.95, 0.8])], [commit(2, 0, 6), commit(4, 2, 7), commit(4, 0, 5)]),
    step(1, "denoise", [1, 2], [look(2, [1], [8], [0.95]), look(4, [1, 3], [8, 8], [0.7, 0.85])], [
      commit(2, 1, 8),
      { type: "merge", branch: 4, source: 2, position: 1, token: 8, probability: 0.7 },
    ]),
    step(2, "refresh", [2, 2], [look(4, [3], [1], [0.99])], [
      { type: "refresh", branches: [2, 4], reason: "interval" },
      commit(4, 3, 1),
      { type: "sync", branch: 2, leader: 4, gained: 1, positions: [0, 2, 3] },
    ]),
  ].slice(0, changes.steps ?? 3); // prettier-ignore
  const end = { type: "end", winner: 4, text: "five b a", stop: "eos", eos: 3 };
  return record([header, ...steps, ...(changes.open ? [] : [end])]);
}

test("each moment of a run made by hand is found where it is", () => {
  const run = handMade();
  assert.deepEqual([...answerOf(run)], [5, 8, 7]);
  assert.deepEqual(sharedStart(run), {
    before: { step: 0, until: 1 },
    after: { step: 0, until: 4 },
    leader: 4,
    counts: new Map([[2, 1], [4, 2]]),
    ends: 0,
  }); // prettier-ignore
  const held = heldCandidate(run);
  assert.deepEqual([held.branch, held.position, held.token, held.before], [4, 3, 8, { step: 1, until: 1 }]);
  const merge = firstMerge(run);
  assert.deepEqual([merge.event.position, merge.before, merge.after], [1, { step: 1, until: 2 }, { step: 1, until: 3 }]);
  const reset = tellingReset(run);
  assert.deepEqual([reset.position, reset.old, reset.new, reset.wrong], [0, 6, 5, true]);
  assert.equal(firstRecompute(run).before.step, 2);
  const parting = partingAndMeeting(run);
  assert.deepEqual([parting.branches, parting.tokens, parting.met, parting.byReset], [[2, 4], [6, 5], 5, 2]);
  assert.deepEqual([parting.before.step, parting.after.step], [0, 2]);
});

test("the lesson of that run quotes its tokens, positions and figures, and its answers are the run's", () => {
  const cards = lessonCards(handMade(), { right: true, contrast: { ...contrast, forwards: 5, tokens: 3 } });
  assert.deepEqual(
    cards.map(({ id }) => id),
    ["dilemma", "scouts", "start", "sure", "handshake", "reset", "recompute", "parting", "result", "next"],
  );
  const answers = Object.fromEntries(cards.filter((c) => c.question).map((c) => [c.id, c.question.options[c.question.answer]]));
  assert.deepEqual(answers, {
    start: "block 4",
    sure: "No",
    handshake: "Yes",
    reset: "\u201cfive\u201d",
    parting: "\u201cfive\u201d",
    result: "more",
  });
  assert.match(cardOf(cards, "scouts").title, /^Two scouts/);
  assert.match(cardOf(cards, "sure").text, /position 3, block 4 would write \u201cb\u201d with 0\.85/);
  assert.match(cardOf(cards, "handshake").text, /Block 2 holds \u201cb\u201d at position 1.* is 0\.70\. .* is 0\.50/);
  assert.match(cardOf(cards, "reset").text, /block 2 holds \u201csix\u201d.*block 4, holds \u201cfive\u201d.* 1 token fewer/);
  assert.match(cardOf(cards, "reset").question.reveal, /The answer, which is right, does not hold \u201csix\u201d/);
  assert.match(cardOf(cards, "recompute").text, /Step 3 .* all 2 rows .* by 4 tokens/);
  assert.match(cardOf(cards, "result").text, /^The answer is right: 3 tokens in 3 forwards, 1\.0 tokens a forward/);
});

test("nothing is claimed that is not known, and a card without its moment is left out", () => {
  const cards = lessonCards(handMade());
  assert.equal(cardOf(cards, "result").question, null);
  assert.doesNotMatch(JSON.stringify(cards), /is right/);
  const short = lessonCards(handMade({ steps: 1 }));
  assert.deepEqual(
    short.map(({ id }) => id),
    ["dilemma", "scouts", "start", "result", "next"],
  );
  assert.deepEqual(lessonCards(handMade({ open: true })), [], "a run that goes on has no lesson");
});

test("a baseline is compared as it came out", () => {
  const answer = (forwards) => {
    const { question } = cardOf(lessonCards(handMade(), { contrast: { ...contrast, forwards } }), "result");
    return question.options[question.answer];
  };
  assert.deepEqual([2, 3, 4].map(answer), ["fewer", "as many", "more"]);
});

test("every card of every run is short, goes to a place of the run, and asks what the run can answer", () => {
  for (const { name, recording } of many) {
    const cards = lessonCards(recording, { right: true, contrast });
    assert.ok(cards.length >= 5 && cards.length <= 10, name);
    for (const { id, title, text, at, question, cells } of cards) {
      assert.ok(words(`${text} ${question?.text ?? ""}`) <= 60, `${name}: ${id} is too long`);
      assert.ok(title && !text.includes("undefined") && !text.includes("NaN"), `${name}: ${id}: ${text}`);
      const frame = frameAt(recording, at);
      for (const [branch, position] of cells) assert.ok(frame.branches.get(branch).token.length > position);
      if (!question) continue;
      assert.ok(words(question.reveal) <= 45, `${name}: the answer of ${id} is too long`);
      assert.ok(question.options.length >= 2 && question.options.length <= 3);
      assert.equal(new Set(question.options).size, question.options.length);
      assert.ok(question.options[question.answer], `${name}: ${id}`);
      assert.ok(frameAt(recording, question.then));
    }
  }
});

test("the answers are what the grids show afterwards", () => {
  for (const { recording } of many) {
    const [merge, held, reset] = [firstMerge(recording), heldCandidate(recording), tellingReset(recording)];
    const cell = (place, branch, position) => frameAt(recording, place).branches.get(branch).token[position];
    if (merge) {
      const { branch, position, token } = merge.event;
      assert.deepEqual([merge.before, merge.after].map((place) => cell(place, branch, position)), [MASKED, token]);
      assert.equal(frameAt(recording, merge.after).branches.get(branch).how[position], HOW.merge);
    }
    if (held) assert.equal(cell(held.after, held.branch, held.position), MASKED);
    if (!reset) continue;
    assert.equal(cell(reset.before, reset.event.branch, reset.position), reset.old);
    assert.equal(cell(reset.after, reset.event.branch, reset.position), reset.new);
    assert.equal(frameAt(recording, reset.before).leader.size, reset.event.leader, "the star stands at the leader");
  }
});

test("branches that part and meet do so where the card says", () => {
  for (const { recording } of many) {
    const moment = partingAndMeeting(recording);
    if (!moment) continue;
    const at = ({ step }) => moment.branches.map((size) => recording.frame(step).branches.get(size).token[moment.position]);
    assert.deepEqual(at(moment.before), moment.tokens);
    assert.deepEqual(at(moment.after), [moment.met, moment.met]);
    assert.notEqual(quoted(recording, moment.tokens[0]), "");
  }
});

test("happenings stand in order and lead from one place to the next", () => {
  for (const { recording } of many) {
    const all = allHappenings({ steps: recording.steps.slice(0, 4) });
    assert.ok(all.every(({ before, after }) => before.step === after.step && after.until === before.until + 1));
  }
});
