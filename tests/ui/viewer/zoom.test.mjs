import assert from "node:assert/strict";
import { test } from "node:test";

import { Columns, GAP } from "../../../assets/viewer/columns.mjs";
import { actionOf } from "../../../assets/viewer/keys.mjs";
import { stripRow } from "../../../assets/viewer/strips.mjs";
import {
  firstAfter,
  firstAround,
  frameOn,
  gapAt,
  labelEvery,
  LEAST,
  least,
  scaled,
  stepped,
  wheelFactor,
} from "../../../assets/viewer/zoom.mjs";
import { runs } from "./traces.mjs";

const ROOM = 700;

/** Every zoom on the way out from text-wide cells. */
function wayOut(length) {
  const stops = [Infinity];
  while (stepped(stops.at(-1), -1, length, ROOM) < stops.at(-1)) stops.push(stepped(stops.at(-1), -1, length, ROOM));
  return stops;
}

test("zooming out ends where all positions fit, or with cells one pixel wide", () => {
  for (const length of [16, 128, 500]) {
    const columns = new Columns(length, wayOut(length).at(-1));
    assert.ok(columns.total <= ROOM, `${length} positions fit`);
  }
  assert.equal(wayOut(128).at(-1), least(128, ROOM));
  assert.equal(wayOut(5000).at(-1), LEAST);
});

test("zooming in goes back by the same stops to cells as wide as their text", () => {
  const out = wayOut(1024);
  for (let index = out.length - 1; index > 0; index -= 1)
    assert.equal(stepped(out[index], 1, 1024, ROOM), out[index - 1]);
  assert.equal(stepped(Infinity, 1, 1024, ROOM), Infinity);
});

test("a wheel zooms smoothly and stays within the same limits", () => {
  assert.equal(scaled(10, 1.5, 1024, ROOM), 15);
  assert.equal(scaled(2, 0.1, 1024, ROOM), LEAST);
  assert.equal(scaled(50, 2, 1024, ROOM), Infinity);
  assert.ok(scaled(Infinity, 0.9, 1024, ROOM) < Infinity);
  assert.ok(wheelFactor({ deltaY: -100, deltaMode: 0 }) > 1);
  const round = wheelFactor({ deltaY: 3, deltaMode: 1 }) * wheelFactor({ deltaY: -48, deltaMode: 0 });
  assert.ok(Math.abs(round - 1) < 1e-9, "turning back undoes it, in lines as in pixels");
});

test("zoomed columns are as wide as the zoom at the most, and narrow ones stand close", () => {
  const columns = new Columns(10);
  columns.widen(3, 100);
  columns.place();
  for (const zoom of [Infinity, 40, 20, 10, 3, 1]) {
    Object.assign(columns, { zoom });
    columns.place();
    const pitches = Array.from(columns.widths, (width) => width + columns.gap);
    assert.ok(Math.max(...pitches) <= Math.max(zoom, LEAST));
    assert.equal(columns.at(columns.lefts[7] + 0.5), 7);
  }
  assert.deepEqual([gapAt(Infinity, GAP), gapAt(10, GAP), gapAt(2, GAP)], [GAP, 1, 0]);
});

test("a place keeps its share of its column through a zoom", () => {
  const columns = new Columns(40);
  columns.widen(7, 90);
  columns.place();
  const place = columns.placeOf(columns.lefts[7] + 0.25 * (columns.widths[7] + GAP));
  assert.deepEqual(place, { position: 7, share: 0.25 });
  columns.zoom = 8;
  columns.place();
  assert.equal(columns.xOf(place), 7.25 * 8);
});

test("the frame lies over the part in view, never narrower than can be grabbed, never outside", () => {
  assert.deepEqual(frameOn([32, 64], 128, 400), { left: 100, width: 100 });
  const tiny = frameOn([1020, 1024], 1024, 300);
  assert.ok(tiny.width >= 10);
  assert.ok(Math.abs(tiny.left + tiny.width - 300) < 1e-9);
  assert.deepEqual(frameOn([0, 128], 128, 400), { left: 0, width: 400 });
});

test("a view goes around a position as far as the ends let it", () => {
  assert.equal(firstAround(64, 20, 128), 54);
  assert.deepEqual([firstAround(2, 20, 128), firstAround(127, 20, 128), firstAround(5, 200, 128)], [0, 108, 0]);
});

test("keys on the minimap move a little, a page, or to an end, and others belong to the page", () => {
  const after = (key) => firstAfter(key, [50, 70], 128);
  assert.deepEqual(["ArrowLeft", "ArrowRight"].map(after), [48, 52]);
  assert.deepEqual(["PageUp", "PageDown", "Home", "End"].map(after), [32, 68, 0, 108]);
  assert.equal(after("f"), null);
  assert.equal(firstAfter("ArrowRight", [0, 128], 128), 0);
});

test("numbers on the axis keep apart", () => {
  assert.equal(labelEvery(27), 4);
  for (const pitch of [1, 2, 5, 9, 30]) assert.ok(labelEvery(pitch) * pitch >= 34);
});

test("the keys + - { } zoom and pan, and ctrl leaves them to the browser", () => {
  const target = { matches: () => false, closest: () => null };
  assert.deepEqual(actionOf({ key: "+", target }), { name: "zoom", direction: 1 });
  assert.deepEqual(actionOf({ key: "-", target }), { name: "zoom", direction: -1 });
  assert.deepEqual(actionOf({ key: "}", target, shiftKey: true }), { name: "pan", direction: 1 });
  assert.equal(actionOf({ key: "-", target, ctrlKey: true }), null);
});

test("a strip shows written cells solid, drafts faint and the rest clear, in every fill", () => {
  for (const { recording } of runs) {
    const frame = recording.frame(Math.floor(recording.steps.length / 2));
    for (const fill of ["confidence", "step", "agreement", "entropy"]) {
      for (const branch of frame.ordered) {
        const row = stripRow({ fill, recording, branches: frame.ordered }, branch);
        for (let p = 0; p < branch.token.length; p += 1) {
          const alpha = row[4 * p + 3];
          const unsaid = fill === "entropy" && branch.seen[p] < 0;
          if (branch.token[p] >= 0 && !unsaid) assert.equal(alpha, 255);
          else if (branch.token[p] < 0) assert.equal(alpha > 0, branch.draft[p] >= 0);
        }
      }
    }
  }
});
