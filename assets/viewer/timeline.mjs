/** The timeline: a lane of events, a lane per branch with the tokens it committed, by step or by time. */

import { el, icon } from "./dom.mjs";
import { branchesOf, heightOf, slotsOf, stepAt, timelineFigure } from "./figures.mjs";
import { LEGEND, SHAPES } from "./shapes.mjs";

const BARS = ["tokens committed", "A bar's height is a logarithm of how many tokens the branch committed at the step."];

export class Timeline {
  /** `picked({step, branch, position})` is called for a click; branch and position may be null. */
  constructor(plots, node, picked) {
    this.plots = plots;
    this.plot = plots.at(node, (place) => this.pick(place, picked));
  }

  pick({ x, y, data }, picked) {
    const step = stepAt(this.slots, x);
    if (step === null) return;
    const lane = this.branches[this.branches.length - 1 - Math.floor(y)] ?? null;
    const [, branch, position] = data?.[0] === step + 1 && (lane ?? data[1]) === data[1] ? data : [];
    picked({ step, branch: branch ?? lane, position: position ?? null });
  }

  /** `axis` is step or time, `extent` the part of it to show. */
  draw({ recording, frame }, axis, extent) {
    const { steps } = recording;
    const key = `${recording.key} ${steps.length} ${axis} ${extent}`;
    if (key !== this.key) Object.assign(this, { key, branches: branchesOf(steps), slots: slotsOf(steps, axis) });
    const { start, width } = this.slots[frame.step];
    this.plot.draw({
      key,
      height: heightOf(this.branches.length),
      figure: () => timelineFigure(this.plots.templates, recording, axis, extent),
      marks: [
        { name: "now", x: [start, start + width] },
        { name: "ahead", x: [start + width, extent[1]] },
      ],
      ticks: axis === "step" ? ["xaxis"] : [],
    });
  }
}

/** The choice between steps and seconds. */
export class AxisChoice {
  constructor({ byStep, byTime }, changed) {
    this.buttons = { step: byStep, time: byTime };
    this.value = "step";
    for (const [axis, button] of Object.entries(this.buttons))
      button.addEventListener("click", () => {
        this.value = axis;
        for (const [name, other] of Object.entries(this.buttons))
          other.setAttribute("aria-pressed", String(name === axis));
        changed();
      });
  }
}

/** What the bars and the marks are called. */
export function fillLegend(legend) {
  const item = (shape, kind, name, meaning) => {
    const node = el("span", "bb-legend-item");
    node.title = meaning;
    node.append(icon(shape, `bb-shape bb-${kind}`), el("span", "", name));
    return node;
  };
  const marks = Object.entries(LEGEND).map(([kind, words]) => item(SHAPES[kind], kind, ...words));
  legend.prepend(item("M2 1H8V10H2z", "bar", ...BARS), ...marks);
}
