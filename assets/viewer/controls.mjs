/** The controls around the pictures: what never changes in them, the fill and its legend, the repeated range. */

import { gradient } from "./colors.mjs";
import { el } from "./dom.mjs";
import { FILLS } from "./fills.mjs";
import { mountGlossary } from "./glossary.mjs";
import { explainWords } from "./hints.mjs";
import { KEY_HELP } from "./keys.mjs";
import { SPEEDS } from "./player.mjs";
import { LEGEND } from "./shapes.mjs";

const LOOP = {
  off: "Repeat a range: set its first step here (l)",
  from: "Repeat a range: set its last step here (l)",
  on: "Stop repeating this range (l)",
};

/** Fill in what never changes: the speeds, the scale of the maps, the help, the glossary and the words on hover. */
export function furnish(parts) {
  const { speed, mapScale, glossary, keys } = parts;
  mountGlossary(parts);
  explainWords(parts);
  mapScale.style.setProperty("--fill", gradient());
  speed.append(...SPEEDS.map((value) => new Option(`${value}\u00d7`, value, value === 1, value === 1)));
  for (const [name, meaning] of Object.values(LEGEND)) glossary.append(el("dt", "", name), el("dd", "", meaning));
  for (const [key, meaning] of KEY_HELP) keys.append(el("dt", "", key), el("dd", "", meaning));
}

/** The choice of what a cell's colour stands for, and its legend. */
export class FillChoice {
  constructor({ fill: select, scale }, changed) {
    Object.assign(this, { select, scale, changed });
    select.append(...Object.entries(FILLS).map(([name, fill]) => new Option(fill.name, name)));
    select.addEventListener("change", changed);
  }

  get value() {
    return this.select.value;
  }

  set value(name) {
    this.select.value = name;
  }

  /** Go on to the next fill. */
  next() {
    this.select.selectedIndex = (this.select.selectedIndex + 1) % this.select.length;
    this.changed();
  }

  draw(recording) {
    const fill = FILLS[this.value];
    const items = fill.legend({ count: recording.steps.length });
    const key = JSON.stringify(items);
    if (key === this.drawn) return;
    this.drawn = key;
    this.scale.title = fill.meaning;
    this.scale.replaceChildren(...items.flatMap(legendKey));
  }
}

function legendKey({ css, wide, bar, text }) {
  const words = el("span", "", text);
  if (!css) return [words];
  const key = el("i", wide ? "bb-wide" : `bb-swatch${bar ? " bb-barred" : ""}`);
  key.style.setProperty("--fill", css);
  return [key, words];
}

/** Show on the button and on the scrubber which steps are repeated. */
export function drawLoop({ loop, scrub }, { range, count }) {
  const state = range ? (range[1] === null ? "from" : "on") : "off";
  loop.title = LOOP[state];
  loop.dataset.state = state;
  loop.setAttribute("aria-label", LOOP[state]);
  loop.setAttribute("aria-pressed", String(state !== "off"));
  const share = (step) => `${(100 * step) / Math.max(count - 1, 1)}%`;
  scrub.style.setProperty("--from", range ? share(range[0]) : "0%");
  scrub.style.setProperty("--to", range ? share((range[1] ?? range[0]) + 0.5) : "0%");
}
