import assert from "node:assert/strict";
import { test } from "node:test";

import { cividis, inkOn } from "../../../assets/viewer/colors.mjs";
import { Columns, GAP } from "../../../assets/viewer/columns.mjs";
import { actionOf } from "../../../assets/viewer/keys.mjs";
import { candidatesAt } from "../../../assets/viewer/panels.mjs";
import { visible } from "../../../assets/viewer/pieces.mjs";
import { broken } from "../../../assets/viewer/picture.mjs";
import { MARKS, marksOf, nextMarked } from "../../../assets/viewer/recording.mjs";
import { LEGEND, SHAPES } from "../../../assets/viewer/shapes.mjs";
import { runs } from "./traces.mjs";

const { recording, records } = runs[0];

test("columns grow, never shrink, and are found again by their place", () => {
  const columns = new Columns(3);
  assert.equal(columns.widen(1, 60), true);
  assert.equal(columns.widen(1, 30), false);
  columns.place();
  assert.equal(columns.lefts[2] - columns.lefts[1], 60 + GAP);
  for (const position of [0, 1, 2]) assert.equal(columns.at(columns.lefts[position] + 1), position);
  assert.deepEqual([columns.at(-50), columns.at(1e6)], [0, 2]);
  assert.deepEqual(columns.visible(columns.lefts[1], columns.lefts[1] + 5), [1, 2]);
});

test("every mark has a shape and a name of its own", () => {
  for (const table of [SHAPES, LEGEND]) assert.deepEqual(Object.keys(table).sort(), [...MARKS].sort());
  assert.equal(new Set(Object.values(SHAPES)).size, MARKS.length);
});

test("confidence gets lighter as it grows, and the ink on it stays readable", () => {
  const light = [0, 0.25, 0.5, 0.75, 1].map((value) => cividis(value).reduce((sum, part) => sum + part, 0));
  assert.deepEqual(
    [...light].sort((a, b) => a - b),
    light,
  );
  assert.notEqual(inkOn(cividis(0)), inkOn(cividis(1)));
});

test("spaces and line breaks of a piece can be seen, and markup stays as it is", () => {
  assert.equal(visible("  the"), "\u00b7\u00b7the");
  assert.equal(visible("\n"), "\u21b5");
  assert.equal(visible("\u200b\u0000"), "U+200B U+0000");
  assert.equal(visible("\u{1f469}\u200d\u{1f4bb}"), "\u{1f469}\u200d\u{1f4bb}");
  assert.equal(visible(""), "");
  assert.equal(visible("<img onerror=alert(1)>"), "<img onerror=alert(1)>");
});

test("marks that share a place stand beside each other, and name a cell", () => {
  const events = [
    { type: "merge", branch: 4, position: 7 },
    { type: "merge", branch: 4, position: 9 },
    { type: "sync", branch: 4, leader: 8, gained: 5, positions: [11] },
    { type: "eos", branch: 8, position: 12 },
  ];
  const marks = marksOf({ index: 3, kind: "denoise", events });
  assert.deepEqual(
    marks.map(({ kind, lane, branch, position }) => [kind, lane, branch, position]),
    [
      ["merge", 4, 4, 7],
      ["sync", 4, 4, 11],
      ["eos", null, 8, 12],
    ],
  );
  assert.ok(marks[0].aside < marks[1].aside);
  assert.equal(marks[2].aside, 0);
  assert.deepEqual(marksOf({ index: 0, kind: "refresh", events: [] })[0].words, "full recompute");
});

test("jumping goes to the nearest step with a mark, or nowhere", () => {
  const marks = [{ step: 2 }, { step: 5 }];
  assert.deepEqual([nextMarked(marks, 2, 1), nextMarked(marks, 2, -1), nextMarked(marks, 9, -1)], [5, null, 5]);
});

test("the first step's candidates are those of every branch", () => {
  const { branch, positions } = records[1].candidates[0];
  const best = candidatesAt(recording, 0, branch, positions[0]);
  assert.equal(best.length, records[1].candidates[0].counts[0]);
  assert.deepEqual(candidatesAt(recording, 0, recording.frame(0).ordered.at(-1).size, positions[0]), best);
});

test("words of a picture are broken into lines, between characters where there is no space", () => {
  const lines = (words) => broken(words, (line) => [...line].length <= 6);
  assert.deepEqual(lines("a bc def ghij"), ["a bc", "def", "ghij"]);
  assert.deepEqual(lines("\u4e00".repeat(14)), ["\u4e00".repeat(6), "\u4e00".repeat(6), "\u4e00".repeat(2)]);
  assert.deepEqual(lines("ab 12345678 c"), ["ab 123", "45678", "c"]);
  assert.deepEqual(lines(""), [""]);
});

test("brackets and braces mean the same where they are typed with AltGr or Option", () => {
  const target = { matches: () => false, closest: () => null };
  const typed = (key, held) => actionOf({ key, target, ...held });
  for (const held of [{ ctrlKey: true, altKey: true }, { altKey: true }])
    assert.deepEqual(["[", "}"].map((key) => typed(key, held).name), ["position", "pan"]);
  assert.equal(typed("[", { metaKey: true }), null, "the browser's own");
  for (const key of ["ArrowLeft", "d", "f", "1"]) assert.equal(typed(key, { altKey: true }), null);
});

test("keys typed into a field belong to the field", () => {
  const target = (selector) => ({ matches: () => false, closest: (list) => (list.includes(selector) ? {} : null) });
  const key = (name, at, shiftKey = false) => actionOf({ key: name, target: at, shiftKey });
  assert.equal(key(" ", target("textarea")), null);
  assert.equal(key(" ", target("button")), null);
  assert.deepEqual(key(" ", target("nothing")), { name: "toggle" });
  assert.deepEqual(key("ArrowLeft", target("button"), true), { name: "event", direction: -1 });
  assert.deepEqual(key("3", target("nothing")), { name: "branch", index: 2 });
});
