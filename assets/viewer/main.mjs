/** The viewer: takes in the trace as text, keeps one cursor (step, branch, position), and draws every panel from it. */

import { drawLoop, FillChoice } from "./controls.mjs";
import { calm, el, parts, say } from "./dom.mjs";
import { happenings, MASKED } from "./fold.mjs";
import { Grid } from "./grid.mjs";
import { BranchMap, HistoryMap } from "./heatmap.mjs";
import { actionOf, KEY_HELP } from "./keys.mjs";
import { cursorSentence, drawFigures, Inspector, TextPanel } from "./panels.mjs";
import { nextStop, Player, SPEEDS } from "./player.mjs";
import { nextMarked, Recording } from "./recording.mjs";
import { Tail, traceLines } from "./records.mjs";
import { happeningSentence, stepSentence } from "./sentences.mjs";
import { LEGEND } from "./shapes.mjs";
import { statusOf } from "./status.mjs";
import { Timeline } from "./timeline.mjs";
import { WhatIfCard } from "./whatifcard.mjs";

/** Start the viewer in `element`; `props.value` is the append-only text, `watch` tells when it has grown. */
export function mount(element, props, watch) {
  const viewer = new Viewer(element);
  const feed = () => viewer.feed(props.value ?? "");
  watch("value", feed);
  feed();
}

class Viewer {
  constructor(element) {
    this.parts = parts(element);
    this.tail = new Tail();
    this.session = null;
    this.recording = null;
    this.cursor = { branch: 0, position: 0 };
    this.player = new Player(() => this.moved());
    const pick = (branch, position) => this.pick(branch, position);
    this.grid = new Grid(this.parts, { pick, scrolled: () => this.invalidate() });
    this.timeline = new Timeline(this.parts, (step) => this.seek(step));
    this.branchMap = new BranchMap(this.parts.branchMap, pick);
    this.historyMap = new HistoryMap(this.parts.historyMap, (step, position) => {
      this.pick(this.cursor.branch, position);
      this.seek(step);
    });
    this.inspector = new Inspector(this.parts);
    this.textPanel = new TextPanel(this.parts);
    this.whatIf = new WhatIfCard(this.parts, () => this.asked());
    this.fill = new FillChoice(this.parts, () => this.invalidate());
    this.furnish();
    this.listen(element);
    this.lastTick = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  /** Fill in what never changes. */
  furnish() {
    const { speed, glossary, keys } = this.parts;
    speed.append(...SPEEDS.map((value) => new Option(`${value}\u00d7`, value, value === 1, value === 1)));
    for (const [name, meaning] of Object.values(LEGEND)) glossary.append(el("dt", "", name), el("dd", "", meaning));
    for (const [key, meaning] of KEY_HELP) keys.append(el("dt", "", key), el("dd", "", meaning));
  }

  listen(element) {
    const on = (part, type, act) => this.parts[part].addEventListener(type, act);
    on("first", "click", () => this.seek(0));
    on("previous", "click", () => this.player.move(-1));
    on("play", "click", () => this.player.toggle());
    on("next", "click", () => this.player.move(1));
    on("last", "click", () => this.seek(this.player.count - 1));
    on("loop", "click", () => this.player.loop());
    on("previousEvent", "click", () => this.stop(-1));
    on("nextEvent", "click", () => this.stop(1));
    on("scrub", "input", () => this.seek(this.parts.scrub.valueAsNumber));
    on("speed", "change", () => {
      this.player.speed = Number(this.parts.speed.value);
    });
    on("follow", "click", () => this.setFollow(!this.grid.follow));
    on("download", "click", () => this.download());
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("blockbatch:help", () => this.parts.help.showModal());
    document.addEventListener("blockbatch:ask-status", () => this.announce());
    new ResizeObserver(() => this.invalidate()).observe(element);
    new MutationObserver(() => this.restyle()).observe(document.body, { attributeFilter: ["class"] });
    document.fonts?.ready.then(() => this.restyle());
  }

  /** Take in the whole text so far. A run stays on screen until the next one's header arrives. */
  feed(text) {
    const { fresh, records } = this.tail.feed(text);
    if (fresh) this.session = null;
    const before = this.recording;
    for (const record of records) this.take(record);
    if (this.tail.text.includes('{"type":"header"')) this.text = this.tail.text;
    if (this.unplaced && this.recording.steps.length) this.placeCursor();
    if (this.recording) this.player.grow(this.recording.steps.length, this.live);
    if (this.recording !== before && !this.live && !calm()) this.player.play();
    this.announce();
  }

  take(record) {
    if (record.type === "session") this.session = { ...this.session, ...record };
    else if (record.type === "header") this.open(new Recording(record));
    else this.recording.add(record);
  }

  open(recording) {
    this.recording = recording;
    this.unplaced = true;
    this.player.reset();
    this.whatIf.reset();
    this.setFollow(true);
    this.parts.scroll.scrollLeft = 0;
  }

  /** Whether more steps are still to come. */
  get live() {
    return Boolean(this.recording && !this.recording.end && ["live", "paused"].includes(this.session?.status));
  }

  /** Start the cursor at the first consensus commit known, where there is most to tell; else keep the branch. */
  placeCursor() {
    const merge = this.recording.steps.flatMap((step) => step.events).find((event) => event.type === "merge");
    const sizes = this.recording.frame(0).ordered.map((branch) => branch.size);
    const branch = sizes.includes(this.cursor.branch) ? this.cursor.branch : sizes.at(-1);
    this.cursor = merge ? { branch: merge.branch, position: merge.position } : { branch, position: 0 };
    this.unplaced = false;
  }

  announce() {
    document.dispatchEvent(new CustomEvent("blockbatch:status", { detail: statusOf(this.session, this.recording) }));
    this.invalidate();
  }

  seek(step) {
    this.player.pause();
    this.player.seek(step);
  }

  /** Go to the event before or after the one shown, and point at the cell it touches. */
  stop(direction) {
    const { steps } = this.recording;
    const place = nextStop(this.player, direction, (step) => happenings(steps[step]).length, steps.length);
    if (!place) return;
    this.player.stopAt(place);
    const { branch, position, positions } = happenings(steps[place.step])[place.until - 1];
    if (branch && this.frame.branches.has(branch)) this.pick(branch, position ?? positions?.[0] ?? null);
  }

  pick(branch, position) {
    this.cursor = { branch, position: position ?? this.cursor.position };
    this.grid.show(this.cursor.position);
    this.spoken = true;
    this.invalidate();
  }

  setFollow(follow) {
    this.grid.follow = follow;
    this.moved();
  }

  /** A threshold was dragged: ring the cells that flip, and go where they are if none is in view. */
  asked() {
    if (!this.recording) return;
    const rings = this.whatIf.rings(this.recording, this.player.step);
    const positions = [...rings.keys()].map((key) => Number(key.split(" ")[1])).sort((a, b) => a - b);
    const [first, last] = this.grid.view;
    if (positions.length && !positions.some((p) => p >= first && p < last - 1)) this.grid.show(positions[0]);
    this.invalidate();
  }

  /** The step changed: keep the place of work in view if that is wanted. */
  moved() {
    if (!this.recording) return;
    this.reveal = true;
    this.invalidate();
  }

  key(event) {
    const action = this.recording && actionOf(event);
    if (!action) return;
    event.preventDefault();
    const acts = {
      toggle: () => this.player.toggle(),
      step: () => this.player.move(action.direction),
      event: () => this.seek(nextMarked(this.recording.marks, this.player.step, action.direction) ?? this.player.step),
      stop: () => this.stop(action.direction),
      fill: () => {
        this.fill.next();
        this.invalidate();
      },
      loop: () => this.player.loop(),
      first: () => this.seek(0),
      last: () => this.seek(this.player.count - 1),
      help: () => this.parts.help.showModal(),
      branch: () => this.pick(this.frame.ordered[action.index]?.size ?? this.cursor.branch, null),
      position: () =>
        this.pick(
          this.cursor.branch,
          Math.min(Math.max(this.cursor.position + action.direction, 0), this.recording.length - 1),
        ),
    };
    acts[action.name]();
  }

  get frame() {
    return this.recording.frame(this.player.step, this.player.until);
  }

  tick(now) {
    this.player.tick(Math.min(now - this.lastTick, 1000));
    this.lastTick = now;
    requestAnimationFrame((next) => this.tick(next));
  }

  restyle() {
    for (const panel of [this.grid, this.timeline, this.branchMap.map, this.historyMap.map]) panel.restyle();
    this.invalidate();
  }

  invalidate() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
  }

  draw() {
    const { recording, player } = this;
    if (!recording || player.step < 0) return;
    const frame = this.frame;
    if (!frame.branches.has(this.cursor.branch)) this.cursor.branch = frame.ordered.at(-1).size;
    const rings = this.whatIf.rings(recording, player.step);
    const view = { recording, frame, cursor: this.cursor, live: this.live, fill: this.fill.value, rings };
    this.grid.measure(recording);
    if (this.reveal && this.grid.follow) this.grid.show(workPlace(frame), true);
    this.reveal = false;
    this.drawTransport(view);
    this.fill.draw(recording);
    this.timeline.draw(view);
    this.grid.draw(view);
    this.branchMap.draw(view, this.grid.view);
    this.historyMap.draw(view);
    drawFigures(this.parts.figures, view);
    this.inspector.draw(view);
    this.whatIf.draw(recording, player.step);
    this.textPanel.draw(view);
    if (this.spoken) say(this.parts.spoken, cursorSentence(view));
    this.spoken = false;
  }

  drawTransport({ recording }) {
    const { player } = this;
    const { root, scrub, count, sentence, play, follow, download, historyTitle } = this.parts;
    const step = recording.steps[player.step];
    root.classList.toggle("playing", player.playing);
    play.setAttribute("aria-label", player.playing ? "Pause" : "Play");
    follow.setAttribute("aria-pressed", String(this.grid.follow));
    download.disabled = this.live;
    scrub.max = player.count - 1;
    scrub.value = player.step;
    scrub.style.setProperty("--done", `${player.count > 1 ? (100 * player.step) / (player.count - 1) : 100}%`);
    scrub.setAttribute("aria-valuetext", `step ${player.step + 1} of ${player.count}`);
    say(count, `step ${player.step + 1} of ${player.count}`);
    sentence.setAttribute("aria-live", player.playing || this.live ? "off" : "polite");
    say(sentence, player.until === null ? stepSentence(step) : happeningSentence(recording, step, player.until));
    drawLoop(this.parts, player);
    say(historyTitle, `History of block ${this.cursor.branch}`);
  }

  download() {
    if (!this.text) return;
    const link = el("a");
    link.href = URL.createObjectURL(new Blob([traceLines(this.text)], { type: "application/x-ndjson" }));
    link.download = `blockbatch-${String(this.recording.header.run)
      .replace(/[^\w-]/g, "")
      .slice(0, 40)}.ndjson`;
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

/** The position where decoding goes on: a little before the leader's first masked one. */
function workPlace({ leader }) {
  const first = leader.token.indexOf(MASKED);
  return Math.max((first < 0 ? leader.token.length : first) - 3, 0);
}
