/** The timeline: a lane of events, a lane per branch with the tokens it committed, and the steps beneath. */

import { el, icon, palette, surface, widthOf } from "./dom.mjs";
import { markText, stepSentence } from "./sentences.mjs";
import { drawShape, LEGEND, SHAPES } from "./shapes.mjs";

const GUTTER = 66;
const LANE = 23;
const BAR = 9; // of a lane: bars stand at its foot, marks above them
const TOP = 24;
const AXIS = 18;
const MARK = 9;
const MARGIN = 6;

/** The slots of an axis: a finished run fills it, a live one leaves room and seldom has to be drawn anew. */
export function slots(count, live) {
  return live ? Math.max(16, 2 ** Math.ceil(Math.log2(count + 1))) : Math.max(count, 1);
}

/** How many tokens each branch committed at each step: Map(size -> counts). */
export function committedByBranch(steps) {
  const lanes = new Map();
  for (const step of steps) {
    for (const state of step.branches) if (!lanes.has(state.branch)) lanes.set(state.branch, []);
    for (const event of step.events) {
      if (event.type !== "commit") continue;
      const lane = lanes.get(event.branch);
      lane[step.index] = (lane[step.index] ?? 0) + 1;
    }
  }
  return new Map([...lanes].sort(([a], [b]) => a - b));
}

/** Where a mark stands: its step, and its branch's lane or the lane of events. */
function placeOf({ step, kind, branch }) {
  return `${step} ${kind === "merge" || kind === "sync" ? branch : "events"}`;
}

/** The kinds of marks at each place, each once. */
export function kindsByPlace(marks) {
  const places = new Map();
  for (const mark of marks) places.set(placeOf(mark), [...new Set([...(places.get(placeOf(mark)) ?? []), mark.kind])]);
  return places;
}

export class Timeline {
  /** `seek(step)` is called for a click or a drag. */
  constructor({ timeline: canvas, legend, tip }, seek) {
    Object.assign(this, { canvas, tip, count: 0, layer: document.createElement("canvas") });
    this.restyle();
    if (legend) fillLegend(legend);
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      if (this.count) seek(this.stepAt(event));
    });
    canvas.addEventListener("pointermove", (event) => this.hover(event, seek));
    canvas.addEventListener("pointerleave", () => tip.classList.remove("shown"));
  }

  restyle() {
    this.palette = palette(this.canvas);
    this.drawn = null;
  }

  stepAt(event) {
    const x = event.clientX - this.canvas.getBoundingClientRect().left - GUTTER;
    return Math.min(Math.max(Math.floor(x / this.slot), 0), this.count - 1);
  }

  hover(event, seek) {
    if (!this.count) return;
    const step = this.stepAt(event);
    if (event.buttons) seek(step);
    const marks = this.recording.marks.filter((mark) => mark.step === step && mark.kind !== "knob").map(markText);
    const shown = marks.length > 4 ? [...marks.slice(0, 3), `${marks.length - 3} more`] : marks;
    this.tip.replaceChildren(el("b", "", `step ${step + 1}`), el("span", "", stepSentence(this.recording.steps[step])));
    for (const text of shown) this.tip.append(el("small", "", text));
    const room = this.canvas.parentElement.clientWidth - 250;
    this.tip.style.left = `${Math.min(Math.max(event.offsetX - 110, 0), Math.max(room, 0))}px`;
    this.tip.classList.add("shown");
  }

  /** `wide` is the number of slots where it is given from outside, so that two timelines can stand in step. */
  draw({ recording, frame, live, slots: wide }) {
    const width = widthOf(this.canvas.parentElement);
    const room = Math.max(wide ?? 0, slots(recording.steps.length, live));
    const key = `${recording.header.run} ${recording.steps.length} ${room} ${width}`;
    if (key !== this.drawn) this.drawLayer(recording, room, width);
    this.drawn = key;
    const context = surface(this.canvas, width, this.height);
    this.drawCursor(context, frame.step);
    context.drawImage(this.layer, 0, 0, width, this.height);
    this.dim(context, frame.step + 1, width);
    this.drawAxis(context, frame.step);
  }

  /** Everything that does not depend on the step shown, kept as a picture. */
  drawLayer(recording, room, width) {
    this.recording = recording;
    this.count = recording.steps.length;
    const lanes = committedByBranch(recording.steps);
    this.height = TOP + lanes.size * LANE + AXIS;
    this.slot = (width - GUTTER - MARGIN) / room;
    this.rows = new Map([...lanes.keys()].map((size, row) => [size, TOP + row * LANE]));
    this.beside = kindsByPlace(recording.marks);
    const context = surface(this.layer, width, this.height);
    this.drawLanes(context, lanes, width);
    for (const mark of recording.marks) this.drawMark(context, mark);
  }

  /** What is still to come at the step shown is faint. */
  dim(context, from, width) {
    const left = GUTTER + from * this.slot;
    context.fillStyle = this.palette.panel;
    context.globalAlpha = 0.6;
    context.fillRect(left, 0, Math.max(width - left, 0), this.height - AXIS);
    context.globalAlpha = 1;
  }

  drawCursor(context, step) {
    const x = GUTTER + step * this.slot;
    context.fillStyle = this.palette.accent;
    context.globalAlpha = 0.16;
    context.beginPath();
    context.roundRect(x, 0, this.slot, this.height - AXIS, 4);
    context.fill();
    context.globalAlpha = 1;
    context.fillRect(x + this.slot / 2 - 0.75, 0, 1.5, this.height - AXIS);
  }

  drawLanes(context, lanes, width) {
    const most = [...lanes.values()].flat().reduce((best, count) => Math.max(best, count ?? 0), 1);
    context.font = `11.5px ${this.palette.sans}`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (const [size, counts] of lanes) {
      const y = this.rows.get(size);
      context.fillStyle = this.palette.dim;
      context.fillText(`block ${size}`, 0, y + LANE / 2 + 1);
      context.fillStyle = this.palette.line;
      context.fillRect(GUTTER, y + LANE - 1.5, width - GUTTER, 1);
      counts.forEach((count, step) => this.drawBar(context, y, step, Math.log2(1 + count) / Math.log2(1 + most)));
    }
  }

  drawBar(context, y, step, share) {
    const width = Math.min(Math.max(this.slot * 0.5, 2), 14);
    const height = 2 + (BAR - 2) * share;
    context.fillStyle = this.palette.accent;
    context.fillRect(GUTTER + (step + 0.5) * this.slot - width / 2, y + LANE - 2 - height, width, height);
  }

  /** Marks that share a lane and a step stand beside each other. */
  drawMark(context, mark) {
    const { kind, branch, step } = mark;
    const inLane = kind === "merge" || kind === "sync";
    const beside = this.beside.get(placeOf(mark));
    const apart = Math.min(MARK + 2, this.slot / beside.length);
    const x = GUTTER + (step + 0.5) * this.slot + (beside.indexOf(kind) - (beside.length - 1) / 2) * apart;
    const y = inLane ? this.rows.get(branch) + (LANE - BAR) / 2 - 1 : TOP / 2 - 1;
    drawShape(context, kind, x, y, Math.min(MARK, this.slot * 0.7 + 2.5), this.palette[kind], this.palette.panel);
  }

  drawAxis(context, current) {
    const every = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((count) => count * this.slot >= 26) ?? 1000;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.font = `10.5px ${this.palette.sans}`;
    for (let step = 0; step < this.count; step += 1) {
      if (step !== current && (step + 1) % every && step) continue;
      if (step !== current && Math.abs(step - current) * this.slot < 18) continue;
      context.fillStyle = step === current ? this.palette.ink : this.palette.dim;
      context.fillText(String(step + 1), GUTTER + (step + 0.5) * this.slot, this.height - AXIS / 2 + 1);
    }
  }
}

function fillLegend(legend) {
  for (const [kind, [name, meaning]] of Object.entries(LEGEND)) {
    const item = el("span", "bb-legend-item");
    item.title = meaning;
    item.append(icon(SHAPES[kind], `bb-shape bb-${kind}`), el("span", "", name));
    legend.append(item);
  }
}
