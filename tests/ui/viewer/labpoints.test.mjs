import assert from "node:assert/strict";
import { test } from "node:test";

import { listed } from "../../../assets/viewer/labpoints.mjs";

test("the points of a sweep are listed by their sentences", () => {
  const points = { 0: { says: "threshold 0.5: 12 forwards." }, 3: { says: "threshold 0.9: 30 forwards." } };
  assert.deepEqual(listed({ figure: { data: [] }, points }), [
    { place: [0], words: "threshold 0.5: 12 forwards." },
    { place: [3], words: "threshold 0.9: 30 forwards." },
  ]);
});

test("the points of a study are listed by step, each once, in the words that show on hover", () => {
  const hovertemplate = "step %{customdata[0]}, %{hovertext}<br>%{customdata[3]:.1f} ms of %{x}<extra></extra>";
  const customdata = [[2, 4, 7, 1.25], [1, 4, null, 3]];
  const drawn = { type: "bar", hovertemplate, customdata, hovertext: ["“&lt;b&gt;&amp;lt;”", "two"], x: [8, 9], y: [0, 0] };
  assert.deepEqual(listed({ figure: { data: [drawn, { ...drawn, type: "scatter" }] } }), [
    { place: [1, 4, null], words: "step 1, two; 3.0 ms of 9" },
    { place: [2, 4, 7], words: "step 2, “<b>&lt;”; 1.3 ms of 8" },
  ]);
});

test("of a map those cells are listed that there are", () => {
  const map = {
    type: "heatmap",
    hovertemplate: "step 3, %{y}, position %{x}<br>parts: %{text}<extra></extra>",
    y: ["block 4", "block 8"],
    customdata: [[null, null], [null, [3, 8, 1]]],
    text: [[null, null], [null, "“a”"]],
  };
  assert.deepEqual(listed({ figure: { data: [map] } }), [
    { place: [3, 8, 1], words: "step 3, block 8, position 1; parts: “a”" },
  ]);
});

test("where a line breaks there is no point", () => {
  const line = { type: "scatter3d", hovertemplate: "step %{customdata[0]}", customdata: [[1, 4, null], [2, 4, null]], x: [null, 3], y: [null, 3] };
  assert.deepEqual(listed({ figure: { data: [line] } }).map(({ words }) => words), ["step 2"]);
});

test("what has no words on hover, or belongs to no point, is not listed; without a figure nothing is", () => {
  const data = [{ type: "scatter", customdata: [[1, 4, 0]] }, { type: "scatter", hovertemplate: "the oracle" }];
  assert.deepEqual(listed({ figure: { data } }), []);
  assert.deepEqual(listed({}), []);
});
