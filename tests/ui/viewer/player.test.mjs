import assert from "node:assert/strict";
import { test } from "node:test";

import { nextStop, Player } from "../../../assets/viewer/player.mjs";

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

test("the events of all steps are walked one by one, both ways", () => {
  const counts = [3, 1, 2];
  const walk = (place, direction) => {
    const places = [];
    while ((place = nextStop(place, direction, (step) => counts[step], counts.length)))
      places.push(`${place.step}.${place.until}`);
    return places;
  };
  assert.deepEqual(walk({ step: 0, until: 1 }, 1), ["0.2", "0.3", "1.1", "2.1", "2.2"]);
  assert.deepEqual(walk({ step: 2, until: null }, -1), ["2.2", "2.1", "1.1", "0.3", "0.2", "0.1"]);
  assert.deepEqual(walk({ step: 1, until: null }, 1), ["2.1", "2.2"]);
});

test("an event is shown until the step changes", () => {
  const it = player(4);
  it.stopAt({ step: 2, until: 5 });
  assert.deepEqual([it.step, it.until], [2, 5]);
  it.move(1);
  assert.deepEqual([it.step, it.until], [3, null]);
});

test("a range is set in two presses, repeated, and let go by a third", () => {
  const it = player(9);
  it.seek(5);
  it.loop();
  it.seek(3);
  it.loop();
  assert.deepEqual(it.range, [3, 5]);
  const seen = [];
  for (let n = 0; n < 5; n += 1) {
    it.tick(900);
    seen.push(it.step);
  }
  assert.deepEqual(seen, [4, 5, 3, 4, 5]);
  it.loop();
  assert.equal(it.repeating, false);
});

test("a live run beneath a longer one is followed to its own newest step", () => {
  const it = player(20);
  it.following = true;
  it.grow(20, true, 3);
  assert.equal(it.step, 3);
  it.seek(1);
  it.grow(20, true, 4);
  assert.equal(it.step, 1);
  it.seek(4);
  it.grow(20, true, 5);
  assert.equal(it.step, 5);
});

test("a range that a shorter run does not have is let go", () => {
  const it = player(9);
  it.loop();
  it.seek(8);
  it.loop();
  it.grow(5, false);
  assert.deepEqual([it.step, it.range], [0, null]);
});

test("one who looks or plays beyond the newest step of a live run, in a longer one, is left there", () => {
  const it = player(20);
  it.following = true;
  it.grow(20, true, 3);
  it.seek(12);
  it.grow(20, true, 4);
  assert.equal(it.step, 12);
  it.play();
  it.tick(900);
  it.grow(20, true, 5);
  assert.deepEqual([it.step, it.playing], [13, true]);
  it.seek(5);
  it.grow(20, true, 6);
  assert.equal(it.step, 6);
});

test("a live run that goes on alone is followed where its newest step is shown, if what was shown lay beyond it", () => {
  const it = player(20);
  it.grow(20, true, 3);
  it.seek(12);
  it.change(4, false);
  it.grow(5, true);
  assert.equal(it.step, 4);
});

test("another run in the place of the one shown is shown at the whole step", () => {
  const it = player(9);
  it.stopAt({ step: 4, until: 7 });
  it.change(6, false);
  assert.deepEqual([it.step, it.until], [4, null]);
  it.stopAt({ step: 5, until: 2 });
  it.grow(3, false);
  assert.deepEqual([it.step, it.until], [2, null]);
});

test("who walks the events of a live run's newest step, or repeats a range up to it, is not taken on by new ones", () => {
  const it = player(3, true);
  it.stopAt({ step: 2, until: 4 });
  it.grow(4, true);
  assert.deepEqual([it.step, it.until], [2, 4]);
  it.move(1);
  it.grow(5, true);
  assert.deepEqual([it.step, it.until], [4, null]);
  it.seek(3);
  it.loop();
  it.seek(4);
  it.loop();
  it.tick(900);
  it.grow(6, true);
  assert.deepEqual([it.step, it.range], [4, [3, 4]]);
});
