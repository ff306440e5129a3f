import assert from "node:assert/strict";
import { test } from "node:test";

import { Player } from "../../../assets/viewer/player.mjs";

function player(count, live = false) {
  const made = new Player(() => {});
  made.grow(count, live);
  return made;
}

test("a recorded run starts at its first step and plays to its last", () => {
  const it = player(4);
  assert.equal(it.step, 0);
  it.play();
  for (let n = 0; n < 10; n += 1) it.tick(900);
  assert.equal(it.step, 3);
  assert.equal(it.playing, false);
});

test("playing again from the end starts over", () => {
  const it = player(4);
  it.seek(3);
  it.play();
  assert.equal(it.step, 0);
});

test("the speed scales time", () => {
  const it = player(100);
  it.speed = 4;
  it.play();
  it.tick(900);
  assert.equal(it.step, 4);
});

test("a live run is followed to its newest step until the visitor looks back", () => {
  const it = player(1, true);
  it.grow(3, true);
  assert.equal(it.step, 2);
  it.seek(0);
  it.grow(4, true);
  assert.equal(it.step, 0);
  it.seek(3);
  it.grow(5, true);
  assert.equal(it.step, 4);
});

test("seeking stays within the run, and without a run does nothing", () => {
  const it = player(3);
  it.seek(99);
  assert.equal(it.step, 2);
  it.move(-99);
  assert.equal(it.step, 0);
  it.reset();
  it.seek(1);
  assert.equal(it.step, -1);
});
