import assert from "node:assert/strict";
import { test } from "node:test";

import { Tail, traceLines } from "../../../assets/viewer/records.mjs";
import { statusOf } from "../../../assets/viewer/status.mjs";

test("only what was appended is read, whole lines only", () => {
  const tail = new Tail();
  assert.deepEqual(tail.feed('{"a":1}\n{"b"'), { fresh: false, records: [{ a: 1 }] });
  assert.deepEqual(tail.feed('{"a":1}\n{"b":2}\n'), { fresh: false, records: [{ b: 2 }] });
  assert.deepEqual(tail.feed('{"a":1}\n{"b":2}\n'), { fresh: false, records: [] });
});

test("a text that does not go on from the last one starts over", () => {
  const tail = new Tail();
  tail.feed('{"a":1}\n{"b":2}\n');
  assert.deepEqual(tail.feed('{"c":3}\n'), { fresh: true, records: [{ c: 3 }] });
});

test("the latest part of a long text is put behind what came before it", () => {
  const tail = new Tail();
  const part = (from, after, rest) => `${JSON.stringify({ type: "window", from, after })}\n${rest}`;
  tail.feed('{"a":1}\n{"b":2}\n');
  assert.deepEqual(tail.feed(part(8, ':1}\n', '{"b":2}\n{"c":3}\n{"d"')), { fresh: false, records: [{ c: 3 }] });
  assert.deepEqual(tail.feed(part(24, ":3}\n", '{"d":4}\n')), { fresh: false, records: [{ d: 4 }] });
  assert.equal(tail.text, '{"a":1}\n{"b":2}\n{"c":3}\n{"d":4}\n');
});

test("a part whose beginning was missed, or that is of another text, waits for the whole", () => {
  const tail = new Tail();
  tail.feed('{"a":1}\n');
  for (const after of ["1}\n", "9}\n"])
    assert.deepEqual(tail.feed(`${JSON.stringify({ type: "window", from: 16, after })}\n{"c":3}\n`).records, []);
  assert.deepEqual(tail.feed(`${JSON.stringify({ type: "window", from: 8, after: "9}\n" })}\n{"c":3}\n`).records, []);
  assert.deepEqual(tail.feed('{"a":1}\n{"b":2}\n{"c":3}\n'), { fresh: false, records: [{ b: 2 }, { c: 3 }] });
});

test("a saved trace holds the run's lines and nothing of the page", () => {
  const text =
    '{"type":"session","status":"live"}\n{"type":"header"}\n{"type":"session","status":"paused"}\n{"type":"end"}\n';
  assert.equal(traceLines(text), '{"type":"header"}\n{"type":"end"}\n');
});

test("the chip says recorded, queued, live, paused, stopped, failed or finished", () => {
  const state = (session, recording) => statusOf(session, recording).state;
  assert.equal(statusOf({ status: "recorded", name: "a run" }, null).text, "recorded \u00b7 a run");
  assert.equal(statusOf({ status: "queued", place: 2 }, null).text, "queued, place 2");
  assert.equal(state({ status: "live" }, { end: null }), "live");
  assert.equal(state({ status: "paused" }, { end: null }), "paused");
  assert.equal(state({ status: "live" }, { end: { stop: "stopped" } }), "stopped");
  assert.equal(state({ status: "live" }, { end: { stop: "eos" } }), "finished");
  assert.equal(state({ status: "failed" }, { end: null }), "failed");
});
