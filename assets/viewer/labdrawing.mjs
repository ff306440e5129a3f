/** The place in which a figure of the lab is drawn by plotly.js: again when it, its width or the theme is another. */

import { el, palette } from "./dom.mjs";
import { figureIn } from "./labfigure.mjs";
import { letPageScroll } from "./labscroll.mjs";
import { FAILED, plotly } from "./plotly.mjs";

const CONFIG = { displayModeBar: false, showTips: false };
const STILL = 60; // milliseconds without a change of size or theme, after which it is drawn again

export class Drawing {
  /** In `node`; `source` is the address of plotly.js; `clicked(data)` gets the `customdata` of what was clicked. */
  constructor(node, source, clicked) {
    Object.assign(this, { node, source, clicked, figure: null, words: "", drawn: {} });
    letPageScroll(node);
  }

  /** Show `figure` {data, layout}, or nothing without one; `words` are what a screen reader says of it. */
  show(figure, words) {
    Object.assign(this, { figure: figure ?? null, words });
    this.node.hidden = !figure;
    this.node.setAttribute("aria-label", words);
    this.draw();
  }

  /** Draw soon, for the place may have changed; while a window is being resized that happens at every frame. */
  settle() {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.draw(), STILL);
  }

  /** Draw what is wanted, if that is not what stands there; while the lab is hidden there is no room for it. */
  async draw() {
    if (!this.room) return;
    try {
      await plotly(this.source);
    } catch {
      return this.fail();
    }
    const { figure, room } = this; // as they are by now
    if (!room) return;
    const colours = palette(this.node);
    const look = JSON.stringify([room, colours]);
    if (figure === this.drawn.figure && look === this.drawn.look) return;
    this.drawn = { figure, look };
    this.node.setAttribute("aria-label", this.words);
    this.plot(figureIn(figure, colours, room));
  }

  fail() {
    this.node.replaceChildren(el("p", "bb-note", FAILED));
    this.node.setAttribute("aria-label", FAILED); // what is in an image is not read
  }

  /** Pixels that a figure may be wide; 0 where there is none to draw, or nowhere to draw it. */
  get room() {
    return this.figure ? this.node.clientWidth : 0;
  }

  plot({ data, layout }) {
    if (window.matchMedia("(pointer: coarse)").matches) layout.dragmode = false; // a finger scrolls the page
    if (this.node.layout?.uirevision === layout.uirevision) window.Plotly.react(this.node, data, layout, CONFIG);
    else this.begin(data, layout);
  }

  /** A figure of another kind begins from nothing: plotly then keeps neither a zoom nor a canvas of the last one. */
  begin(data, layout) {
    window.Plotly.purge(this.node);
    this.node.replaceChildren();
    window.Plotly.newPlot(this.node, data, layout, CONFIG);
    this.node.on("plotly_click", ({ points }) => this.clicked(points?.[0]?.customdata));
  }

  /** Save a picture of it; without plotly.js there is none. */
  save() {
    const { width, height } = this.node.layout ?? {};
    if (width) window.Plotly.downloadImage(this.node, { format: "png", scale: 2, width, height, filename: "blockbatch-figure" });
  }
}
