import assert from "node:assert/strict";
import { test } from "node:test";

import { answerRow, Comparison, differing, firstDivergence } from "../../../assets/viewer/compare.mjs";
import { runs } from "./traces.mjs";

test("answers part where Python says", () => {
  for (const left of runs) {
    runs.forEach((right, index) => {
      const found = firstDivergence(answerRow(left.recording), answerRow(right.recording));
      assert.equal(found, left.expected.divergence[index], `${left.name} and ${right.name}`);
    });
  }
});

test("only positions at which both hold a token can differ", () => {
  assert.deepEqual(differing([5, -1, 7, 8], [5, 6, -1, 9, 1]), [3]);
  assert.equal(firstDivergence([-1, 2], [3, 2]), null);
});

test("the step that shows the parting is the first one that does", () => {
  const [a, b] = [runs[0].recording, runs.find((run) => run.name !== runs[0].name && differsFrom(run)).recording];
  const { position, step } = new Comparison(a, b).parting;
  const at = (n) => differing(answerRow(a, n), answerRow(b, n));
  assert.ok(at(step).includes(position));
  for (let n = 0; n < step; n += 1) assert.ok(!at(n).includes(position));
});

function differsFrom(run) {
  return firstDivergence(answerRow(runs[0].recording), answerRow(run.recording)) !== null;
}

test("a run compared with itself has no ring and says so", () => {
  for (const { recording } of runs) {
    const both = new Comparison(recording, recording);
    const frame = recording.frame(3);
    assert.deepEqual(both.rings(frame, frame), [new Map(), new Map()]);
    assert.match(both.sentence, /the two answers are the same\.$/);
    for (const { a, b } of both.figures(frame, frame)) assert.equal(a.value, b.value);
  }
});

test("tokens of two models are compared by their text, and the ends of text are one", () => {
  const row = runs[0].recording;
  const other = Object.create(row, {
    header: { value: { ...row.header, model: "another", eos_id: row.header.eos_id + 1000 } },
    frame: { value: (n) => shifted(row.frame(n)) },
    text: { value: (token) => row.text(token - 1000) },
  });
  const both = new Comparison(row, other);
  assert.equal(both.parting, null);
  const frame = row.frame(row.steps.length - 1);
  assert.deepEqual(both.rings(frame, shifted(frame)), [new Map(), new Map()]);
  assert.notEqual(new Comparison(row, Object.create(other, { header: { value: row.header } })).parting, null);
});

/** The frame with every token a thousand numbers higher. */
function shifted(frame) {
  const copy = frame.clone();
  for (const branch of copy.branches.values()) {
    branch.token = branch.token.map((token) => (token < 0 ? token : token + 1000));
  }
  return copy;
}

test("rings mark the rows that speak, and the first divergence apart from the others", () => {
  const [a, b] = [runs[0].recording, runs.find(differsFrom).recording];
  const both = new Comparison(a, b);
  const frames = [a, b].map((run) => run.frame(run.steps.length - 1));
  const [left, right] = both.rings(...frames);
  assert.equal(left.size, right.size);
  assert.equal([...left.values()].filter((kind) => kind === "first").length, 1);
  assert.equal(left.get(`${a.end.winner} ${both.parting.position}`), "first");
  assert.match(both.sentence, /^The answers first part at position \d+: .* in A, .* in B\.$/);
});
