/**
 * A figure of the lab, from JSON that the server made. What it may be asked for stands above it; beneath it a list of its
 * points, for those who cannot click in it, and what can be done with the one that was picked.
 */

import { el, parts, say } from "./dom.mjs";
import { Drawing } from "./labdrawing.mjs";
import { listed } from "./labpoints.mjs";
import { saveFile } from "./saving.mjs";

const STAYS = 1000; // milliseconds after which a sentence is read out: while a sweep goes on it changes twice a second
const NO_RUN = "There is no run on screen to draw. Open a recorded one, or run a prompt.";
const OTHER_RUN = "Another run is on screen by now. Ask for its figure above.";
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
  new ResizeObserver(() => plot.drawing.settle()).observe(element);
  new MutationObserver(() => plot.drawing.settle()).observe(document.body, { attributeFilter: ["class"] });
}

class LabPlot {
  constructor(element, { asks, plotly: source, label }, trigger) {
    Object.assign(this, { parts: parts(element), trigger, label, shown: {} });
    const { drawing, places, picture, file } = this.parts;
    this.drawing = new Drawing(drawing, source, (data) => this.click(data));
    this.offer(JSON.parse(asks));
    places.addEventListener("change", () => places.value && this.click(JSON.parse(places.value)));
    picture.addEventListener("click", () => this.drawing.save());
    file.addEventListener("click", () => saveFile(this.shown.file.text, "application/json", this.shown.file.name));
  }

  /** A button for each figure that can be asked for; it is drawn from the run and the step that the page shows. */
  offer(asks) {
    this.parts.asks.hidden = !asks.length;
    for (const asked of asks) {
      const button = Object.assign(el("button", "bb-toggle", asked.title), { type: "button", title: asked.about });
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => this.ask(asked, button));
      this.parts.asks.append(button);
    }
  }

  ask({ name, title, about }, pressed) {
    for (const button of this.parts.asks.children) button.setAttribute("aria-pressed", String(button === pressed));
    this.tell("about", about);
    this.label = `${title}: ${about}`;
    this.mark("");
    this.act("", []);
    const shown = runOnScreen();
    if (shown) this.trigger("submit", { name, trace: shown.text, step: shown.step });
    else this.show({ says: NO_RUN });
  }

  take(value) {
    this.show(value ? JSON.parse(value) : {});
  }

  show(shown) {
    this.shown = shown;
    const { says, share, figure, file } = shown;
    this.tell("says", says);
    this.progress(share);
    this.parts.files.hidden = !figure;
    this.parts.file.hidden = !file;
    say(this.parts.file, file?.title ?? "");
    this.list();
    if (this.picked !== undefined) this.pick(this.picked);
    const words = [this.label, says].filter(Boolean).join(" ");
    this.drawing.show(figure, words);
    this.speak(says || (figure ? words : ""));
  }

  progress(share) {
    const percent = Math.round(100 * (share ?? 0));
    this.parts.bar.hidden = share === undefined;
    this.parts.bar.style.setProperty("--done", `${percent}%`);
    this.parts.bar.setAttribute("aria-valuenow", String(percent));
  }

  tell(part, sentence) {
    this.parts[part].hidden = !sentence;
    say(this.parts[part], sentence ?? "");
  }

  /** Let a screen reader say a sentence once it stays. */
  speak(sentence) {
    clearTimeout(this.speaking);
    this.speaking = setTimeout(() => say(this.parts.spoken, sentence), STAYS);
  }

  /** The list of points; what is in it is changed rather than made anew, for it may have the focus or be open. */
  list() {
    const { places, choose } = this.parts;
    const found = [{ place: null, words: "none picked" }, ...listed(this.shown)];
    choose.hidden = found.length === 1;
    const { value } = places;
    while (places.length > found.length) places.lastElementChild.remove();
    while (places.length < found.length) places.append(el("option"));
    found.forEach(({ place, words }, n) => {
      say(places.options[n], words);
      places.options[n].value = place ? JSON.stringify(place) : "";
    });
    this.mark(value);
  }

  /** Let the list show the point that is picked, as its option's value. */
  mark(value) {
    const { places } = this.parts;
    places.value = value;
    if (places.selectedIndex < 0) places.selectedIndex = 0;
  }

  /** `data`: the number of a point that can be acted upon, or [step from 1, branch, position] of the run on screen. */
  click(data) {
    if (data === null || data === undefined) return;
    const place = [data].flat().slice(0, 3);
    this.mark(JSON.stringify(place));
    if (this.shown.points) this.pick(place[0]);
    else this.lookAt(place);
  }

  pick(number) {
    const point = this.shown.points?.[number];
    this.picked = point ? number : undefined;
    const told = JSON.stringify([number, point]);
    if (told === this.told) return;
    this.told = told;
    this.act(point?.says ?? "", (point?.acts ?? []).map((act) => this.actButton(number, act)));
  }

  actButton(point, { does, title, of }) {
    return button(title, () => {
      this.trigger(does, { point, of });
      send("lab", { open: false });
    });
  }

  /** Move the replay, if it still shows the run that the figure is of, whose id is the figure's revision. */
  lookAt([step, branch = null, position = null]) {
    if (runOnScreen()?.run !== this.shown.figure.layout.uirevision) return this.act(OTHER_RUN, []);
    send("go", { step: step - 1, branch, position });
    this.act(`The replay now stands at step ${step}.`, [button("Look there", () => send("lab", { open: false }))]);
  }

  /** Offer what can be done with the point that `says` speaks of; one of the buttons may have the focus. */
  act(says, buttons) {
    const { picked, acts, pickedSays, spoken } = this.parts;
    picked.hidden = !says;
    say(pickedSays, says);
    say(spoken, says);
    const focused = [...acts.children].indexOf(document.activeElement);
    acts.replaceChildren(...buttons);
    acts.children[focused]?.focus({ preventScroll: true });
  }
}

/** {run, text, step} of the run that the page shows; null without one. */
function runOnScreen() {
  let found = null;
  send("ask-run", { answer: (shown) => (found = shown) });
  return found;
}

function button(title, does) {
  const made = Object.assign(el("button", "bb-act", title), { type: "button" });
  made.addEventListener("click", does);
  return made;
}
