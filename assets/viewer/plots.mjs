/**
 * Plotly figures in the page, drawn by the plotly.js that comes with the server's plotly.
 *
 * plotly.js is large and a figure takes many milliseconds, so it is loaded when the first figure is wanted, and figures
 * are drawn at a pace that leaves the page responsive. What moves with the cursor is not part of a figure: it lies over
 * it as plain elements, and costs nothing.
 */

import { el, palette, widthOf } from "./dom.mjs";
import { Pacer, REST } from "./pacer.mjs";
import { FAILED, plotly } from "./plotly.mjs";

const CONFIG = { displayModeBar: false, doubleClick: false, showTips: false };
const FEW = 10; // steps or positions: an axis that shows no more has a tick at each

/** The figures of a page; `templates` look as `ui.figures` says, `source` is the address of plotly.js below its root. */
export class Plots {
  constructor(templates, source) {
    Object.assign(this, { templates, source, pacer: new Pacer(), all: [], style: 0 });
    this.seen = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) this.all.find((plot) => plot.node === target).show(isIntersecting);
    });
  }

  /** A place for a figure. `clicked({x, y, data})` gets the place on its axes, and the `customdata` of what was hit. */
  at(node, clicked) {
    const plot = new Plot(node, this, clicked);
    this.all.push(plot);
    this.seen.observe(node);
    return plot;
  }

  ask(plot) {
    this.pacer.ask(plot);
    this.loading ??= this.load();
  }

  async load() {
    try {
      await plotly(this.source);
      this.pacer.start();
    } catch {
      for (const plot of this.all) plot.fail();
      this.loading = null; // so that what is asked for later can try again
    }
  }

  /** The steps of a run that is `moving` must not wait for figures. */
  pace(moving) {
    this.pacer.rest = moving ? REST.live : REST.still;
  }

  /** A step of the live run has arrived. */
  arrived() {
    this.pacer.arrived();
  }

  /** The theme's colours have changed. */
  restyle() {
    this.style += 1;
  }
}

/** One figure, what lies over it, and a button that undoes a zoom. */
class Plot {
  constructor(node, plots, clicked) {
    Object.assign(this, { node, plots, clicked, wanted: null, drawn: null, resets: 0, visible: false, marks: [] });
    this.drawing = el("div", "bb-drawing");
    this.drawing.setAttribute("role", "img");
    this.drawing.setAttribute("aria-label", node.dataset.label);
    this.over = el("div", "bb-over");
    this.over.setAttribute("aria-hidden", "true");
    this.whole = el("button", "bb-toggle bb-whole", "show all");
    Object.assign(this.whole, { type: "button", hidden: true, title: "Undo the zoom (or click the figure twice)" });
    this.whole.addEventListener("click", () => this.unzoom());
    node.append(this.drawing, this.over, this.whole);
  }

  /**
   * Show a figure: `figure()` makes it, the same `key` stands for the same one. `marks` lie over it, each
   * {name, x: [from, to], y: [from, to]} in its coordinates; without x or y it spans the figure. `ticks` names the axes
   * that have whole numbers.
   */
  draw({ key, height, figure, marks, ticks }) {
    const width = widthOf(this.node);
    this.node.style.height = `${height}px`;
    this.wanted = { key: `${key} ${width} ${height} ${this.plots.style}`, width, figure, ticks };
    this.marks = marks;
    this.place();
    this.want();
  }

  want() {
    if (this.visible && this.wanted && this.wanted.key !== this.drawn) this.plots.ask(this);
  }

  show(visible) {
    this.visible = visible;
    this.want();
  }

  render() {
    const { key, width, figure, ticks } = this.wanted;
    if (!this.visible || !width || key === this.drawn) return;
    const made = figure();
    made.layout.uirevision += ` ${this.resets}`; // as long as it stays the same, a zoom is kept
    const ranges = rangesKept(made.layout, this.drawing.layout, this.home);
    this.home = rangesOf(made.layout);
    const { data, layout } = dressed(made, palette(this.node), width, ranges, ticks);
    if (window.matchMedia("(pointer: coarse)").matches) layout.dragmode = false; // a finger scrolls the page
    const first = this.drawn === null;
    this.drawn = key;
    if (first) this.drawing.replaceChildren(); // what it said if plotly.js could not be loaded before
    window.Plotly.react(this.drawing, data, layout, CONFIG);
    if (first) this.listen();
    this.place();
  }

  listen() {
    this.drawing.on("plotly_click", ({ xvals: [x], yvals: [y], points }) => {
      this.clicked({ x, y, data: points?.[0]?.customdata ?? null });
    });
    this.drawing.on("plotly_doubleclick", () => this.unzoom());
    this.drawing.on("plotly_relayouting", () => this.place());
    this.drawing.on("plotly_relayout", () => {
      this.drawn = ""; // ticks and the size of marks follow the zoom
      this.place();
      this.want();
    });
  }

  unzoom() {
    this.resets += 1;
    this.drawn = "";
    this.want();
  }

  /** Whether it shows another part than the figure would by itself. */
  get zoomed() {
    const { layout } = this.drawing;
    return Boolean(layout?.xaxis?.range) && String(rangesOf(layout)) !== String(this.home);
  }

  /** Put the marks where the axes now are. */
  place() {
    const { xaxis, yaxis, margin } = this.drawing.layout ?? {};
    if (!xaxis?.range) return;
    const { t, r, b, l } = margin;
    this.over.style.inset = `${t}px ${r}px ${b}px ${l}px`;
    while (this.over.children.length < this.marks.length) this.over.append(movable());
    [...this.over.children].forEach((sheet, index) => {
      const mark = this.marks[index];
      sheet.hidden = !mark;
      if (mark) put(sheet, mark, along(mark.x, xaxis.range), along(mark.y, [...yaxis.range].reverse()));
    });
    this.whole.hidden = !this.zoomed;
  }

  fail() {
    this.drawing.replaceChildren(el("p", "bb-note", FAILED));
  }
}

/** What the axes of a layout show, copied: plotly writes a zoom into the arrays that it was given. */
function rangesOf({ xaxis, yaxis }) {
  return [[...xaxis.range], [...yaxis.range]];
}

/**
 * What the axes of a new `layout` show: of the same figure as the one `drawn` before, which by itself showed `home`,
 * each axis that was zoomed stays as it is. plotly gives up a zoom where the axis grows, as that of a live run does.
 */
export function rangesKept(layout, drawn, home) {
  const ranges = rangesOf(layout);
  if (!drawn || drawn.uirevision !== layout.uirevision) return ranges;
  return rangesOf(drawn).map((range, axis) => (String(range) === String(home[axis]) ? ranges[axis] : range));
}

/** A sheet over the whole figure with a mark at its corner; moving the sheet lays nothing out. */
function movable() {
  const sheet = el("i");
  sheet.append(el("b"));
  return sheet;
}

/** Move a sheet so that its mark stands where `x` and `y` say, each {at, size} in percent of the figure. */
function put(sheet, { name }, x, y) {
  const [mark] = sheet.children;
  mark.className = `bb-${name}`;
  Object.assign(mark.style, { width: `${x.size}%`, height: `${y.size}%` });
  sheet.style.transform = `translate(${x.at}%, ${y.at}%)`;
}

/** Where [from, to] lies on an axis that shows `range` from its start to its end: {at, size} in percent of it. */
export function along(part, [first, last]) {
  if (!part) return { at: 0, size: 100 };
  const [from, to] = part.map((value) => (100 * (value - first)) / (last - first)).sort((a, b) => a - b);
  return { at: Number(from.toFixed(3)), size: Number((to - from).toFixed(3)) };
}

/**
 * A figure in the colours and fonts of the page, `width` pixels wide. `ranges` [x, y] are what its axes show, `ticks`
 * those that have whole numbers.
 */
export function dressed({ data, layout }, colours, width, ranges, ticks) {
  const font = { color: colours.dim, family: colours.sans, size: 11 };
  const scale = (width - layout.margin.l - layout.margin.r) / (ranges[0][1] - ranges[0][0]);
  const axis = (name, range) => ({
    ...layout[name],
    range: [...range],
    ...(ticks.includes(name) && Math.abs(range[1] - range[0]) <= FEW && { dtick: 1 }),
  });
  return {
    data: data.map((trace) => dressedTrace(trace, colours, markSize(scale * slotWidth(data[0])))),
    layout: {
      ...layout,
      width,
      xaxis: axis("xaxis", ranges[0]),
      yaxis: axis("yaxis", ranges[1]),
      font,
      showlegend: false,
      margin: { ...layout.margin, autoexpand: false },
      hoverlabel: { bgcolor: colours.panel, bordercolor: colours.line, font: { ...font, color: colours.ink } },
    },
  };
}

function dressedTrace(trace, colours, size) {
  if (trace.type === "heatmap") return { ...trace, showscale: false };
  const marker = { ...trace.marker, color: colours[trace.meta.colour] };
  if (trace.type === "scatter") marker.size = size;
  return { ...trace, marker };
}

/** How wide a step is on a timeline's axis, on average: a bar takes half of it. */
function slotWidth({ width }) {
  return width?.length ? (2 * width.reduce((sum, value) => sum + value, 0)) / width.length : 1;
}

/** Marks shrink where a step is narrow. */
function markSize(slot) {
  return Math.min(9, 3 + 0.6 * slot);
}
