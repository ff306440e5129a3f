import assert from "node:assert/strict";
import { test } from "node:test";

import { fileOf, nameOf, Runs } from "../../../assets/viewer/runs.mjs";
import { runs as recorded } from "./traces.mjs";

const line = (record) => `${JSON.stringify(record)}\n`;
const session = (status, more = {}) => line({ type: "session", status, ...more });
const [first, second] = recorded.map(({ records }) => records.map(line).join(""));
const opened = (text, name) => session("recorded", { name }) + text;
const [idA, idB] = recorded.map(({ recording }) => recording.header.run);

/** `text` as it arrives of a live run: in pieces, each the whole so far. */
function stream(runs, text, pieces = 5) {
  for (let n = 1; n <= pieces; n += 1) runs.feed(text.slice(0, Math.ceil((n * text.length) / pieces)));
}

test("a run takes the place of the one before it, when its header arrives", () => {
  const runs = new Runs();
  assert.equal(runs.feed(opened(first, "one")), true);
  assert.equal(runs.feed(session("queued", { place: 1 })), false);
  assert.equal(runs.shown.recording.header.run, idA);
  runs.feed(session("queued", { place: 1 }) + session("live"));
  assert.equal(fileOf(runs.shown), first, "the text of the run on screen is kept while another waits");
  stream(runs, session("queued", { place: 1 }) + session("live") + second);
  assert.equal(runs.shown.recording.header.run, idB);
  assert.equal(fileOf(runs.shown), second);
  assert.equal(runs.beneath, null);
});

test("until a run's header arrives it is coming, and the one on screen is not going on", () => {
  const runs = new Runs();
  const coming = () => [runs.coming, runs.live];
  const cut = first.slice(0, first.indexOf("\n", first.indexOf("\n") + 1) + 1); // a header and one step
  runs.feed(session("live") + cut);
  assert.deepEqual(coming(), [false, true]);
  runs.feed(session("queued", { place: 1 }));
  assert.deepEqual(coming(), [true, false]);
  runs.feed(session("queued", { place: 1 }) + session("live"));
  assert.deepEqual(coming(), [true, false]);
  runs.feed(session("queued", { place: 1 }) + session("live") + second);
  assert.deepEqual(coming(), [false, false]);
  runs.feed(session("failed"));
  assert.deepEqual(coming(), [false, false]);
});

test("a run that waits for its turn again after a pause still goes on", () => {
  const runs = new Runs();
  const going = session("live") + first.slice(0, first.lastIndexOf("\n", first.length - 2) + 1);
  const paused = going + session("paused");
  const state = () => [runs.live, runs.moving, runs.coming, runs.session.status];
  runs.feed(going);
  assert.deepEqual(state(), [true, true, false, "live"]);
  runs.feed(paused);
  assert.deepEqual(state(), [true, false, false, "paused"]);
  runs.feed(paused + session("queued", { place: 1 }));
  assert.deepEqual(state(), [true, false, false, "queued"]);
});

test("what comes after a run was pinned stands beneath it, until it is unpinned", () => {
  const runs = new Runs();
  runs.feed(opened(first, "one"));
  runs.pin();
  assert.equal(runs.beneath, null);
  runs.feed(opened(second, "two"));
  assert.deepEqual([runs.shown, runs.beneath].map(nameOf), ["one", "two"]);
  assert.equal(fileOf(runs.shown), first);
  runs.unpin();
  assert.deepEqual([runs.shown.name, runs.beneath], ["two", null]);
});

test("a run that goes on is pinned as far as it got, and goes on beneath", () => {
  const runs = new Runs();
  const text = session("live") + first;
  const lines = text.split("\n").slice(0, 6);
  runs.feed(`${lines.join("\n")}\n`);
  assert.ok(runs.live);
  runs.pin();
  assert.equal(runs.shown.recording.steps.length, 4);
  assert.equal(nameOf(runs.shown), `${nameOf(runs.latest)}, its first 4 steps`);
  runs.feed(text);
  assert.equal(runs.shown.recording.steps.length, 4);
  assert.equal(runs.shown.recording.end, null);
  assert.equal(fileOf(runs.shown), `${lines.slice(1).join("\n")}\n`);
  assert.ok(runs.beneath.recording.end);
  assert.deepEqual(runs.shown.recording.frame(3).leader.token, runs.beneath.recording.frame(3).leader.token);
  runs.unpin();
  assert.equal(fileOf(runs.shown), first);
});

test("a contrast pins the run that it was asked for, and no other", () => {
  const runs = new Runs();
  runs.feed(opened(first, "one"));
  stream(runs, session("live", { against: idA }) + second);
  assert.deepEqual([runs.shown.recording.header.run, runs.beneath.recording.header.run], [idA, idB]);
  stream(runs, session("live", { against: idA }) + first);
  assert.equal(runs.shown.name, "one", "the next contrast to the pinned run takes the place of the first");
  const others = new Runs();
  others.feed(opened(first, "one"));
  stream(others, session("live", { against: "gone" }) + second);
  assert.equal(others.beneath, null);
});

test("a contrast that brings no step leaves the pinned run on screen", () => {
  const runs = new Runs();
  runs.feed(opened(first, "one"));
  runs.feed(session("live", { against: idA }) + second.slice(0, second.indexOf("\n") + 1));
  runs.unpin();
  assert.equal(runs.shown.name, "one");
});

test("a run that is put away before its first step comes back with it, and nothing of it goes to the pinned one", () => {
  const runs = new Runs();
  runs.feed(opened(first, "one"));
  const [{ recording }, state] = [runs.shown, () => [runs.shown.recording.header.run, runs.live, runs.coming]];
  const steps = recording.steps.length;
  const text = session("live", { against: idA }) + second;
  const after = (lines) => text.split("\n").slice(0, lines).join("\n") + "\n";
  runs.feed(after(2)); // its session and its header
  runs.unpin();
  assert.deepEqual(state(), [idA, false, true]);
  assert.equal(fileOf(runs.shown), first);
  assert.equal(runs.feed(after(3)), true);
  assert.deepEqual([...state(), runs.beneath], [idB, true, false, null]);
  runs.feed(text);
  assert.deepEqual([state(), fileOf(runs.shown)], [[idB, false, false], second]);
  assert.equal(recording.steps.length, steps);
});
