/** The viewer: takes in the trace as text, keeps one cursor (step, branch, position), and draws every panel from it. */

import { Beneath, frameBeneath } from "./beneath.mjs";
import { clamped, Comparison } from "./compare.mjs";
import { CompareCard } from "./comparecard.mjs";
import { FillChoice, furnish } from "./controls.mjs";
import { bringIntoView, calm, parts, say } from "./dom.mjs";
import { happenings } from "./fold.mjs";
import { extentOf } from "./figures.mjs";
import { Grid } from "./grid.mjs";
import { BranchMap, HistoryMap } from "./heatmap.mjs";
import { listen } from "./listening.mjs";
import { cursorSentence, drawFigures, Inspector, TextPanel } from "./panels.mjs";
import { speaker } from "./metrics.mjs";
import { Minimap } from "./minimap.mjs";
import { drawNothing } from "./nothing.mjs";
import { open } from "./opening.mjs";
import { nextStop, Player } from "./player.mjs";
import { Plots } from "./plots.mjs";
import { fileOf, Runs } from "./runs.mjs";
import { Share } from "./share.mjs";
import { statusOf } from "./status.mjs";
import { Teacher } from "./teach.mjs";
import { AxisChoice, fillLegend, Timeline } from "./timeline.mjs";
import { drawTransport } from "./transport.mjs";
import { viewsOf, workPlace } from "./views.mjs";
import { WhatIfCard } from "./whatifcard.mjs";

/**
 * Start the viewer in `element`; `props.value` is the append-only text, `watch` tells when it has grown, `trigger`
 * sends an event to the server, `props.problem` says why the server can run nothing, if so, and `props.templates`, as
 * JSON, and `props.plotly` are for the figures (see `Plots`). `server` holds what can be asked of it (`ui.sharing`),
 * null on a saved page, whose runs are `props.saved`.
 */
export function mount(element, props, watch, trigger, server) {
  const viewer = new Viewer(element, props, (asked) => trigger("submit", asked));
  const feed = () => viewer.feed(props.value ?? "");
  viewer.share = new Share(viewer, server, props);
  watch("value", feed);
  open(viewer, { saved: props.saved, search: window.location.search, server, feed });
  viewer.draw(); // in the frame in which the page appears, rather than in the one after it
}

class Viewer {
  constructor(element, { problem = "", templates, plotly }, ask) {
    Object.assign(this, { parts: parts(element), problem, ask, plots: new Plots(JSON.parse(templates), plotly) });
    this.runs = new Runs();
    this.comparison = null;
    this.cursor = { run: "a", branch: 0, position: 0 };
    this.player = new Player(() => this.moved());
    furnish(this.parts);
    this.makePanels();
    this.teacher = new Teacher(this);
    listen(this, element);
    this.lastTick = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  makePanels() {
    const go = (run) => (place) => this.go(place, run);
    const scrolled = () => this.invalidate();
    const pick = (run) => (branch, position) => this.pick(branch, position, run);
    this.grid = new Grid(this.parts, { pick: pick("a"), scrolled });
    this.timeline = new Timeline(this.plots, this.parts.timeline, go("a"));
    this.axis = new AxisChoice(this.parts, () => this.invalidate());
    fillLegend(this.parts.legend);
    this.beneath = new Beneath(this.parts, this.plots, this.grid, { pick: pick("b"), go: go("b"), scrolled });
    this.minimap = new Minimap(this.parts, this.grid, scrolled);
    this.branchMap = new BranchMap(this.plots, this.parts.branchMap, (branch, position) => this.pick(branch, position));
    this.historyMap = new HistoryMap(this.plots, this.parts.historyMap, (step, position) =>
      this.go({ step, branch: this.cursor.branch, position }, this.cursor.run),
    );
    this.inspector = new Inspector(this.parts);
    this.textPanel = new TextPanel(this.parts);
    this.whatIf = new WhatIfCard(this.parts, { changed: () => this.asked(), run: () => this.runFromHere() });
    this.compare = new CompareCard(this.parts, {
      pin: () => this.pin(),
      unpin: () => this.unpin(),
      part: () => this.showParting(),
      ask: (kind) => this.askContrast(kind),
    });
    this.fill = new FillChoice(this.parts, () => this.invalidate());
  }

  /** The run shown: A, or the only one. */
  get recording() {
    return this.runs.shown?.recording ?? null;
  }

  /** Take in the whole text so far. */
  feed(text) {
    this.teacher.giveWay();
    const wasLive = this.runs.live;
    const begun = this.runs.feed(text);
    if (begun) this.opened();
    if (this.runs.moving) this.plots.arrived();
    if (this.unplaced && this.recording.steps.length) this.placeCursor();
    if (this.recording) this.grow(this.runs.live || (wasLive && !begun));
    this.announce();
  }

  /** A new run began: it is shown alone, or beneath the pinned one. */
  opened() {
    this.pair();
    document.dispatchEvent(new CustomEvent("blockbatch:lab", { detail: { open: false } }));
    const { beneath, live } = this.runs;
    this.cursor.run = "a";
    if (beneath) {
      this.player.following = live;
      return;
    }
    this.unplaced = true;
    this.player.reset();
    this.whatIf.reset();
    this.setFollow(true);
    this.parts.scroll.scrollLeft = 0;
    this.startPlaying = !live && !calm();
  }

  /** Tell the player how many steps there are, and which is the newest of a run that is `live` or was until now. */
  grow(live) {
    const { latest } = this.runs;
    const count = Math.max(this.recording.steps.length, latest.recording.steps.length);
    this.player.grow(count, live, live ? Math.max(latest.recording.steps.length - 1, 0) : count - 1);
    if (this.startPlaying && count) this.player.play();
    if (count) this.startPlaying = false;
  }

  /** Compare the run shown with the one beneath it, if there is one. */
  pair() {
    const { beneath } = this.runs;
    this.comparison = beneath && new Comparison(this.recording, beneath.recording);
  }

  pin() {
    if (!this.recording?.steps.length) return;
    this.runs.pin();
    this.pair();
    this.invalidate();
  }

  /** Go on with run B alone. */
  unpin() {
    this.runs.unpin();
    this.comparison = null;
    this.cursor.run = "a";
    this.whatIf.reset();
    this.player.change(this.recording.steps.length, false);
    this.invalidate();
  }

  /** Ask the server to take the step shown anew, under the thresholds of the what-if card. */
  runFromHere() {
    const changes = this.whatIf.changes(this.recording.frame(this.step).config);
    this.ask({ kind: "fork", trace: fileOf(this.runs.shown), step: this.step - 1, changes });
  }

  /** Ask the server for a run of the same prompt by another decoder. */
  askContrast(kind) {
    const { run, prompt, config } = this.recording.header;
    this.ask({ kind, run, prompt, config });
  }

  /** Go to the first position at which the two answers part, at the first step that shows it. */
  showParting() {
    const parting = this.comparison?.parting;
    if (!parting) return;
    this.seek(parting.step);
    this.lookAt(speaker(this.recording, this.frame).size, parting.position);
    bringIntoView(this.parts.scroll);
  }

  /** Start the cursor at the first consensus commit known, where there is most to tell; else keep the branch. */
  placeCursor() {
    const merge = this.recording.steps.flatMap((step) => step.events).find((event) => event.type === "merge");
    const sizes = this.recording.frame(0).ordered.map((branch) => branch.size);
    const branch = sizes.includes(this.cursor.branch) ? this.cursor.branch : sizes.at(-1);
    this.cursor = merge
      ? { run: "a", branch: merge.branch, position: merge.position }
      : { run: "a", branch, position: 0 };
    this.unplaced = false;
  }

  announce() {
    drawNothing(this.parts, this.recording);
    const detail = statusOf(this.runs.session, this.runs.coming ? null : this.runs.latest?.recording);
    document.dispatchEvent(new CustomEvent("blockbatch:status", { detail }));
    this.invalidate();
  }

  seek(step) {
    this.player.pause();
    this.player.seek(step);
  }

  /** Go to the event before or after the one shown, and point at the cell it touches. */
  stop(direction) {
    const { steps } = this.recording;
    const { until } = this.player;
    const place = nextStop({ step: this.step, until }, direction, (n) => happenings(steps[n]).length, steps.length);
    if (!place) return;
    this.player.stopAt(place);
    const { branch, position, positions } = happenings(steps[place.step])[place.until - 1];
    if (branch && this.frame.branches.has(branch)) this.lookAt(branch, position ?? positions?.[0] ?? null);
  }

  /** Point at a cell of run A, which is what is to be seen at this step, rather than where decoding goes on. */
  lookAt(branch, position) {
    this.reveal = false;
    this.pick(branch, position, "a");
  }

  pick(branch, position, run = this.cursor.run) {
    this.cursor = { run, branch, position: position ?? this.cursor.position };
    this.grid.show(this.cursor.position);
    this.spoken = true;
    this.invalidate();
  }

  /** Go to a step, and point at a branch or a cell there if one is given. */
  go({ step, branch, position }, run) {
    this.seek(step);
    if (branch === null) return;
    if (position !== null) this.reveal = false;
    this.pick(branch, position, run);
  }

  setFollow(follow) {
    this.grid.follow = follow;
    this.moved();
  }

  /** A threshold was dragged: ring the cells that flip, and go where they are if none is in view. */
  asked() {
    if (!this.recording?.steps[this.step]) return;
    const rings = this.whatIf.rings(this.recording, this.step);
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

  /** The step of the run shown: its last where run B is longer. */
  get step() {
    return clamped(this.recording, this.player.step);
  }

  get frame() {
    return this.recording.frame(this.step, this.step === this.player.step ? this.player.until : null);
  }

  /** The frame of the run that the cursor is in. */
  get focused() {
    const { beneath } = this.runs;
    return this.cursor.run === "b" && beneath ? frameBeneath(beneath.recording, this.player.step) : this.frame;
  }

  tick(now) {
    this.player.tick(Math.min(now - this.lastTick, 1000));
    this.lastTick = now;
    requestAnimationFrame((next) => this.tick(next));
  }

  restyle() {
    for (const panel of [this.grid, this.minimap, this.beneath, this.plots]) panel.restyle();
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
    if (!this.recording?.steps.length || this.player.step < 0) return;
    const rings = this.teacher.rings ?? this.whatIf.rings(this.recording, this.step);
    const [a, b] = (this.views = viewsOf(this, this.frame, rings));
    const focus = this.cursor.run === "b" && b ? b : a;
    if (!focus.frame.branches.has(this.cursor.branch)) this.cursor.branch = focus.frame.ordered.at(-1).size;
    this.cursor.position = Math.min(this.cursor.position, focus.recording.length - 1);
    this.grid.measure([a, b].filter(Boolean).map((view) => view.recording));
    if (this.reveal && this.grid.follow) this.grid.show(workPlace(a.frame), true);
    this.reveal = false;
    drawTransport(this.parts, { ...a, follow: this.grid.follow });
    this.fill.draw(a.recording);
    this.drawRuns(a, b);
    this.drawCards(a, b);
    this.drawFocus({ ...focus, cursor: this.cursor });
    this.share.draw();
  }

  drawRuns(a, b) {
    this.parts.titleA.hidden = !this.runs.pinned;
    say(this.parts.titleA, a.title);
    const axis = this.axis.value;
    const recordings = [a, b].filter(Boolean).map((view) => view.recording);
    const extent = extentOf(recordings, axis, this.runs.live);
    this.plots.pace(this.runs.moving);
    this.timeline.draw(a, axis, extent);
    this.grid.draw(a);
    this.minimap.draw(a);
    this.beneath.draw(b, axis, extent);
  }

  drawCards(a, b) {
    const { pinned, live, coming } = this.runs;
    this.whatIf.draw(a.recording, this.step);
    this.whatIf.drawRun(a.recording, this.step, this.problem);
    this.compare.draw({
      pinned: Boolean(pinned),
      problem: this.problem || (live || coming ? "Wait until the run has ended, or stop it" : ""),
      comparison: b && this.comparison,
      frames: b && [a.frame, b.frame],
    });
  }

  /** The panels that follow the cursor into run A or B. */
  drawFocus(view) {
    const run = view.two ? `${view.title.slice(0, 1)} \u00b7 ` : "";
    this.branchMap.draw(view, this.grid.view);
    this.historyMap.draw(view);
    drawFigures(this.parts.figures, view);
    this.inspector.draw(view, run);
    this.textPanel.draw(view);
    say(this.parts.historyTitle, `${run}History of block ${this.cursor.branch}`);
    if (this.spoken) say(this.parts.spoken, cursorSentence(view));
    this.spoken = false;
  }
}
