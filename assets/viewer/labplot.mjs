/**
 * A figure of the lab, drawn from JSON that the server made. What it may be asked for stands above it, what can be done
 * with a point that was clicked beneath it.
 */

import { el, palette, parts, say } from "./dom.mjs";
import { figureIn } from "./labfigure.mjs";
import { FAILED, plotly } from "./plotly.mjs";
import { saveFile } from "./saving.mjs";

const CONFIG = { displayModeBar: false, showTips: false };
const send = (name, detail) => document.dispatchEvent(new CustomEvent(`blockbatch:${name}`, { detail }));

/**
 * `props.value` is the JSON of {says, share, figure, points, file} or empty; `props.asks`, as JSON, is a list of
 * {name, title, about}; `props.plotly` the address of plotly.js. What the visitor wants is sent by `trigger` (see
 * `ui.labplot`).
 */
export function mountLabPlot(element, props, watch, trigger) {
  const plot = new LabPlot(element, props, trigger);
  watch("value", () => plot.take(props.value));
  plot.take(props.value);
}

class LabPlot {
  constructor(element, { asks, plotly: source, label }, trigger) {
    Object.assign(this, { parts: parts(element), source, trigger, shown: {} });
    this.parts.drawing.setAttribute("aria-label", label);
    this.offer(JSON.parse(asks));
    this.parts.picture.addEventListener("click", () => this.savePicture());
    this.parts.file.addEventListener("click", () => saveFile(this.shown.file.text, "application/json", this.shown.file.name));
    new ResizeObserver(() => this.draw()).observe(element);
    new MutationObserver(() => this.draw()).observe(document.body, { attributeFilter: ["class"] });
  }

  /** A button for each figure that can be asked for; it is drawn from the run and the step that the page shows. */
  offer(asks) {
    this.parts.asks.hidden = !asks.length;
    for (const { name, title, about } of asks) {
      const button = Object.assign(el("button", "bb-toggle", title), { type: "button", title: about });
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => this.ask(name, about, button));
      this.parts.asks.append(button);
    }
  }

  ask(name, about, pressed) {
    for (const button of this.parts.asks.children) button.setAttribute("aria-pressed", String(button === pressed));
    this.tell("about", about);
    send("ask-run", { answer: ({ text, step }) => this.trigger("submit", { name, trace: text, step }) });
  }

  take(value) {
    this.shown = value ? JSON.parse(value) : {};
    const { says, share, figure, file } = this.shown;
    this.tell("says", says);
    this.parts.bar.hidden = share === undefined;
    this.parts.bar.style.setProperty("--done", `${100 * (share ?? 0)}%`);
    this.parts.bar.setAttribute("aria-valuenow", String(Math.round(100 * (share ?? 0))));
    this.parts.files.hidden = this.parts.drawing.hidden = !figure;
    this.parts.file.hidden = !file;
    say(this.parts.file, file?.title ?? "");
    if (this.picked !== undefined) this.pick(this.picked);
    this.draw();
  }

  tell(part, sentence) {
    this.parts[part].hidden = !sentence;
    say(this.parts[part], sentence ?? "");
  }

  async draw() {
    const { figure } = this.shown;
    const width = this.parts.drawing.clientWidth;
    if (!figure || !width) return;
    try {
      await plotly(this.source);
    } catch {
      return this.parts.drawing.replaceChildren(el("p", "bb-note", FAILED));
    }
    if (figure !== this.shown.figure) return; // a newer one came meanwhile, and is drawn by itself
    const { data, layout } = figureIn(figure, palette(this.parts.drawing), width);
    if (window.matchMedia("(pointer: coarse)").matches) layout.dragmode = false; // a finger scrolls the page
    const first = !this.parts.drawing.data;
    await window.Plotly.react(this.parts.drawing, data, layout, CONFIG);
    if (first) this.parts.drawing.on("plotly_click", ({ points }) => this.click(points?.[0]?.customdata));
  }

  /** `data`: the number of a point that can be acted upon, or [step from 1, branch, position] of the run on screen. */
  click(data) {
    if (data === null || data === undefined) return;
    if (this.shown.points) this.pick([data].flat()[0]);
    else if (Array.isArray(data)) this.lookAt(data);
  }

  pick(number) {
    const point = this.shown.points?.[number];
    this.picked = point ? number : undefined;
    this.tell("pickedSays", point?.says);
    this.parts.picked.hidden = !point;
    this.parts.acts.replaceChildren(...(point?.acts ?? []).map((act) => this.actButton(number, act)));
  }

  actButton(point, { does, title, of }) {
    return act(title, () => {
      this.trigger(does, { point, of });
      send("lab", { open: false });
    });
  }

  lookAt([step, branch = null, position = null]) {
    send("go", { step: step - 1, branch, position });
    this.parts.picked.hidden = false;
    this.tell("pickedSays", `The replay now stands at step ${step}.`);
    this.parts.acts.replaceChildren(act("Look there", () => send("lab", { open: false })));
  }

  savePicture() {
    const { clientWidth: width, clientHeight: height } = this.parts.drawing;
    window.Plotly.downloadImage(this.parts.drawing, { format: "png", scale: 2, width, height, filename: "blockbatch-figure" });
  }
}

function act(title, does) {
  const button = Object.assign(el("button", "bb-act", title), { type: "button" });
  button.addEventListener("click", does);
  return button;
}
