import assert from "node:assert/strict";
import { test } from "node:test";

import { figureIn } from "../../../assets/viewer/labfigure.mjs";

const colours = { dim: "#111", ink: "#222", panel: "#333", line: "#444", sans: "sans", accent: "#00f" };
const figure = {
  data: [
    { type: "scatter", meta: { colour: "accent" }, line: { width: 2, color: "red" }, marker: { size: 4, color: "red" } },
    { type: "scatter", marker: { color: "red" } },
    { type: "heatmap", colorscale: "Cividis" },
    { type: "heatmap", meta: { colour: "accent" }, colorscale: "Greys" },
  ],
  layout: {
    font: { size: 13 },
    xaxis: { title: { text: "step" } },
    xaxis2: { tickvals: [1, 2] },
    yaxis: { range: [0, 1] },
    scene: { zaxis: { title: { text: "third" } } },
    annotations: [{ text: "a note", font: { size: 10 } }],
  },
};

test("a trace that names a colour of the page takes it, and others keep their own", () => {
  const [named, own, map, even] = figureIn(figure, colours, 400).data;
  assert.deepEqual([named.line, named.marker], [{ width: 2, color: "#00f" }, { size: 4, color: "#00f" }]);
  assert.equal(own.marker.color, "red");
  assert.equal(map.colorscale, "Cividis");
  assert.deepEqual(even.colorscale, [[0, "#00f"], [1, "#00f"]]);
});

test("text and axes take the page's colours, those of a scene too", () => {
  const { layout } = figureIn(figure, colours, 400);
  assert.deepEqual(layout.font, { family: "sans", size: 13, color: "#111" });
  assert.deepEqual(layout.annotations[0].font, { family: "sans", size: 10, color: "#111" });
  for (const axis of [layout.xaxis, layout.xaxis2, layout.yaxis, layout.scene.zaxis]) assert.equal(axis.gridcolor, "#444");
  assert.equal(layout.scene.zaxis.title.text, "third");
});

test("it is as wide as its place, with as many ticks as there is room for", () => {
  const [narrow, wide] = [320, 1400].map((width) => figureIn(figure, colours, width).layout);
  assert.deepEqual([narrow.width, wide.width], [320, 1400]);
  assert.ok(narrow.xaxis.nticks < wide.xaxis.nticks);
  assert.equal(narrow.xaxis2.nticks, undefined); // its ticks are given
  assert.equal(narrow.yaxis.nticks, undefined);
});

test("the server's figure stays as it was", () => {
  const before = JSON.stringify(figure);
  figureIn(figure, colours, 400);
  assert.equal(JSON.stringify(figure), before);
});
