import assert from "node:assert/strict";
import { test } from "node:test";

import { listen } from "../../../assets/viewer/listening.mjs";
import { Player } from "../../../assets/viewer/player.mjs";

const observer = class {
  observe() {}
};
Object.assign(globalThis, { ResizeObserver: observer, MutationObserver: observer });
globalThis.document = Object.assign(new EventTarget(), { body: {} });

/** A viewer with the buttons of the transport, and with a player of `steps` steps. */
function listening(steps) {
  const names = ["first", "previous", "play", "next", "last", "loop", "previousEvent", "nextEvent", "scrub", "speed"];
  const others = ["follow", "download", "downloadB"];
  const parts = Object.fromEntries([...names, ...others].map((name) => [name, new EventTarget()]));
  const viewer = { parts, player: withSteps(steps), seek: (step) => viewer.player.seek(step) };
  listen(viewer, {});
  return { viewer, press: (name) => parts[name].dispatchEvent(new Event("click")) };
}

function withSteps(count) {
  const player = new Player(() => {});
  player.grow(count, false);
  return player;
}

test("the buttons move the player that the viewer has now: in a lesson that is the lesson's", () => {
  const { viewer, press } = listening(5);
  const own = viewer.player;
  viewer.player = withSteps(9);
  const at = (name) => {
    press(name);
    return viewer.player.step;
  };
  assert.deepEqual(["next", "next", "previous", "last", "first"].map(at), [1, 2, 1, 8, 0]);
  press("play");
  assert.equal(viewer.player.playing, true);
  press("loop");
  assert.deepEqual(viewer.player.range, [0, null]);
  viewer.parts.speed.value = "4";
  viewer.parts.speed.dispatchEvent(new Event("change"));
  assert.equal(viewer.player.speed, 4);
  assert.deepEqual([own.step, own.playing, own.range, own.speed], [0, false, null, 1]);
});
