/**
 * The runs on the page: the latest, whose text arrives from the server, and the one pinned above it, if any.
 *
 * A run stays on screen until the next one's header arrives. A run that the server started as a contrast to the one
 * shown names it, and so pins it.
 */

import { titleOf } from "./compare.mjs";
import { Recording } from "./recording.mjs";
import { Tail, traceLines } from "./records.mjs";
import { fileName, saveFile } from "./saving.mjs";
import { plural } from "./sentences.mjs";

const GOING_ON = ["queued", "live", "paused"]; // queued before its first step, and again after a pause

export class Runs {
  constructor() {
    this.tail = new Tail();
    this.session = null;
    this.own = null; // the session's own run, {recording, text, name}, once its header has come
    this.latest = null; // the one on screen that is not pinned: as a rule the session's own
    this.pinned = null;
  }

  /** Take in the whole text so far; returns whether a new run began with it. */
  feed(text) {
    const { fresh, records } = this.tail.feed(text);
    if (fresh) Object.assign(this, { session: null, own: null });
    const before = this.latest;
    for (const record of records) this.take(record);
    if (this.own) this.own.text = this.tail.text;
    return this.latest !== before;
  }

  take(record) {
    if (record.type === "session") this.session = { ...this.session, ...record };
    else if (record.type === "header") this.begin(record);
    else this.grow(record);
  }

  begin(header) {
    const before = this.latest;
    this.latest = this.own = { recording: new Recording(header), name: this.session?.name };
    this.keepContrast(before);
  }

  /** A step or the end of the session's own run; one that was put away before its first step comes back with it. */
  grow(record) {
    this.own.recording.add(record);
    if (record.type === "step") this.latest = this.own;
  }

  /** Pin the run that a new one is a contrast to, if it is on the page. */
  keepContrast(before) {
    const wanted = this.session?.against;
    if (!wanted || this.pinned?.recording.header.run === wanted) return;
    if (before?.recording.header.run === wanted) this.pinned = before;
  }

  /** Pin the latest run; of one that goes on its steps so far are pinned, and it goes on beneath them. */
  pin() {
    this.pinned = this.live ? soFar(this.latest) : this.latest;
  }

  /** Go on with the latest run; with the pinned one if no step of the latest came, until one comes. */
  unpin() {
    if (!this.latest.recording.steps.length) this.latest = this.pinned;
    this.pinned = null;
  }

  /** Run A, or the only one. */
  get shown() {
    return this.pinned ?? this.latest;
  }

  /** Run B, where there are two. */
  get beneath() {
    return this.pinned && this.latest !== this.pinned ? this.latest : null;
  }

  /** Whether steps come now: a run that is paused or waits in line goes on, but later. */
  get moving() {
    return this.live && this.session.status === "live";
  }

  /** Whether more steps of the latest run are still to come. */
  get live() {
    return Boolean(this.own) && this.latest === this.own && this.goesOn;
  }

  /** Whether the server has a run that is still to begin: the latest one is not it. */
  get coming() {
    return (!this.own || this.latest !== this.own) && this.goesOn;
  }

  get goesOn() {
    return !this.own?.recording.end && GOING_ON.includes(this.session?.status);
  }

  /** Whether the run shown is still going on. */
  get shownLive() {
    return this.live && this.shown === this.latest;
  }
}

/** A run that goes on, frozen at its newest step. */
function soFar(run) {
  const { header, steps } = run.recording;
  const recording = new Recording(header);
  for (const step of steps) recording.add(step);
  return { recording, text: run.text, name: `${nameOf(run)}, its first ${plural(steps.length, "step")}` };
}

/** What a run is called on screen. */
export function nameOf({ recording, name }) {
  return titleOf(recording, name);
}

/** A run as a trace file that can be opened again. */
export function fileOf({ text }) {
  return traceLines(text);
}

/** Save a run as a file. */
export function save(run) {
  if (run) saveFile(fileOf(run), "application/x-ndjson", `${fileName([run])}.ndjson`);
}
