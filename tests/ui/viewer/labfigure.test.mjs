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
    scene: { xaxis: {}, zaxis: { title: { text: "third" } }, dragmode: "turntable" },
    annotations: [{ text: "a note", font: { size: 10 } }],
    paper_bgcolor: "rgba(0,0,0,0)",
    uirevision: "run",
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
  assert.equal(layout.scene.dragmode, "turntable");
  assert.equal(layout.annotations[0].arrowcolor, "#111");
});

test("a picture of it has the page's ground, so that its words can be read", () => {
  assert.equal(figureIn(figure, colours, 400).layout.paper_bgcolor, "#333");
});

test("words and frames in a trace take the page's colours, but words in cells are for plotly to choose", () => {
  const data = [
    { type: "scatter3d", mode: "text", meta: { colour: "accent" }, textfont: { size: 11, color: "#7F7F7F" } },
    { type: "heatmap", textfont: { size: 9 }, colorbar: { thickness: 8 } },
  ];
  const [names, map] = figureIn({ data, layout: {} }, colours, 400).data;
  assert.deepEqual(names.textfont, { size: 11, color: "#111" });
  assert.deepEqual(map.textfont, { size: 9 });
  assert.deepEqual(map.colorbar, { thickness: 8, outlinecolor: "#444" });
});

test("words in an annotation that have a trace's colour have it on the page, too", () => {
  const data = [{ type: "bar", meta: { colour: "accent" }, marker: { color: "#E69F00" } }];
  const text = '<span style="color:#E69F00">a</span> <span style="color:#123456">b</span>';
  const { layout } = figureIn({ data, layout: { annotations: [{ text }] } }, colours, 400);
  assert.equal(layout.annotations[0].text, text.replace("#E69F00", "#00f"));
});

test("a zoom is kept while the figure is of the same kind, and of no other", () => {
  const revision = (given) => figureIn(given, colours, 400).layout.uirevision;
  const other = { ...figure, data: [{ type: "scatter3d" }] };
  const later = { ...figure, data: figure.data.map((trace) => ({ ...trace, x: [1] })) };
  assert.equal(revision(later), revision(figure));
  assert.notEqual(revision(other), revision(figure));
  assert.notEqual(revision({ ...figure, layout: { uirevision: "another run" } }), revision(figure));
});

test("it is as wide as its place, with as many ticks as there is room for", () => {
  const [narrow, wide] = [320, 1400].map((width) => figureIn(figure, colours, width).layout);
  assert.deepEqual([narrow.width, wide.width], [320, 1400]);
  assert.ok(narrow.xaxis.nticks < wide.xaxis.nticks);
  assert.equal(narrow.xaxis2.nticks, undefined); // its ticks are given
  assert.equal(narrow.yaxis.nticks, undefined);
  assert.equal(wide.scene.xaxis.nticks, undefined); // it does not lie along the width
});

test("of ticks that are given, those are left that have room", () => {
  const tickvals = Array.from({ length: 30 }, (_, index) => index / 30);
  const xaxis = { tickvals, ticktext: tickvals.map((value) => value.toFixed(2)) };
  const shown = (width) => figureIn({ data: [], layout: { xaxis, yaxis: xaxis } }, colours, width).layout;
  assert.deepEqual(shown(1600).xaxis.tickvals, tickvals);
  const narrow = shown(320);
  assert.deepEqual(narrow.xaxis.ticktext.slice(0, 2), ["0.00", "0.17"]);
  assert.equal(narrow.xaxis.tickvals.length, narrow.xaxis.ticktext.length);
  assert.deepEqual(narrow.yaxis.tickvals, tickvals);
});

test("the server's figure stays as it was", () => {
  const before = JSON.stringify(figure);
  const { data, layout } = figureIn(figure, colours, 400);
  layout.yaxis.range[1] = 5; // as plotly writes a zoom
  data[1].visible = "legendonly";
  assert.equal(JSON.stringify(figure), before);
});
