import assert from "node:assert/strict";
import { test } from "node:test";

import { letPageScroll } from "../../../assets/viewer/labscroll.mjs";

/** A figure's place; `reaches(type, touches)`: whether what stands in it hears of such an event. */
function place() {
  const heard = {};
  letPageScroll({ addEventListener: (type, act, options) => (heard[type] = { act, options }) });
  const reaches = (type, touches) => {
    let reached = true;
    heard[type].act({ touches, stopPropagation: () => (reached = false) });
    return reached;
  };
  return { heard, reaches };
}

const at = (clientX, clientY) => ({ clientX, clientY });

test("it hears of everything first, and never holds the page up", () => {
  for (const { options } of Object.values(place().heard)) assert.deepEqual(options, { capture: true, passive: true });
});

test("the wheel scrolls the page", () => {
  assert.equal(place().reaches("wheel"), false);
});

test("a swipe up or down scrolls the page to its end, wherever it turns", () => {
  const { reaches } = place();
  assert.equal(reaches("touchstart", [at(50, 50)]), true);
  assert.equal(reaches("touchmove", [at(52, 40)]), false);
  assert.equal(reaches("touchmove", [at(90, 40)]), false);
});

test("a swipe to a side turns the figure to its end, and the next swipe is judged anew", () => {
  const { reaches } = place();
  reaches("touchstart", [at(50, 50)]);
  assert.equal(reaches("touchmove", [at(60, 52)]), true);
  assert.equal(reaches("touchmove", [at(60, 90)]), true);
  reaches("touchstart", [at(50, 50)]);
  assert.equal(reaches("touchmove", [at(50, 60)]), false);
});

test("two fingers are left to the figure", () => {
  const { reaches } = place();
  reaches("touchstart", [at(50, 50)]);
  reaches("touchstart", [at(50, 50), at(80, 80)]);
  assert.equal(reaches("touchmove", [at(50, 20), at(80, 110)]), true);
});
