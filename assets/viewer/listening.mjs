/** What the viewer listens to: its buttons, the keyboard, the rest of the page, and changes of size and theme. */

import { fileOf, save } from "./runs.mjs";
import { actionOf } from "./keys.mjs";
import { nextMarked } from "./recording.mjs";

/** Let `viewer`, which stands in `element`, hear of everything. */
export function listen(viewer, element) {
  listenToButtons(viewer);
  listenToPage(viewer);
  new ResizeObserver(() => viewer.invalidate()).observe(element);
  new MutationObserver(() => viewer.restyle()).observe(document.body, { attributeFilter: ["class"] });
  document.fonts?.ready.then(() => viewer.restyle());
}

/** The player is looked up at each press, for a lesson brings one of its own. */
function listenToButtons(viewer) {
  const { parts } = viewer;
  const on = (part, type, act) => parts[part].addEventListener(type, act);
  on("first", "click", () => viewer.seek(0));
  on("previous", "click", () => viewer.player.move(-1));
  on("play", "click", () => viewer.player.toggle());
  on("next", "click", () => viewer.player.move(1));
  on("last", "click", () => viewer.seek(viewer.player.count - 1));
  on("loop", "click", () => viewer.player.loop());
  on("previousEvent", "click", () => viewer.stop(-1));
  on("nextEvent", "click", () => viewer.stop(1));
  on("scrub", "input", () => viewer.seek(parts.scrub.valueAsNumber));
  on("speed", "change", () => {
    viewer.player.speed = Number(parts.speed.value);
  });
  on("follow", "click", () => viewer.setFollow(!viewer.grid.follow));
  on("download", "click", () => save(viewer.runs.shown));
  on("downloadB", "click", () => save(viewer.runs.beneath));
}

function listenToPage(viewer) {
  const on = (name, act) => document.addEventListener(`blockbatch:${name}`, ({ detail }) => act(detail));
  document.addEventListener("keydown", (event) => press(viewer, event));
  on("help", () => viewer.parts.help.showModal());
  on("ask-status", () => viewer.announce());
  on("ask-run", ({ answer }) => tellRun(viewer, answer));
  on("go", (place) => viewer.go(place, "a"));
}

/** `answer` gets the run shown, its id and its text as the lines of a trace, and the step shown or about to be, from 0. */
function tellRun({ recording, runs, step }, answer) {
  if (!recording?.steps.length) return;
  answer({ run: recording.header.run, text: fileOf(runs.shown), step: Math.max(step, 0) });
}

function press(viewer, event) {
  const { parts, recording } = viewer;
  const action = recording?.steps.length && actionOf(event);
  if (!action || !parts.root.clientWidth) return; // no key does anything while the lab stands in the viewer's place
  event.preventDefault();
  actOn(viewer, action);
}

function actOn(viewer, { name, direction, index }) {
  const { player, cursor, parts } = viewer;
  const acts = {
    toggle: () => player.toggle(),
    step: () => player.move(direction),
    event: () => viewer.seek(nextMarked(viewer.recording.marks, player.step, direction) ?? player.step),
    stop: () => viewer.stop(direction),
    fill: () => viewer.fill.next(),
    zoom: () => viewer.minimap.zoom(direction),
    pan: () => viewer.minimap.page(direction),
    loop: () => player.loop(),
    part: () => viewer.showParting(),
    first: () => viewer.seek(0),
    last: () => viewer.seek(player.count - 1),
    help: () => parts.help.showModal(),
    glossary: () => parts.glossaryDialog.showModal(),
    branch: () => viewer.pick(viewer.focused.ordered[index]?.size ?? cursor.branch, null),
    position: () => viewer.pick(cursor.branch, Math.max(cursor.position + direction, 0)),
  };
  acts[name]();
}
