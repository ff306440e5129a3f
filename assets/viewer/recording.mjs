/**
 * A recorded or running decode, as it arrives: header, steps, end, the text of the tokens, and where it comes from.
 * Everything else (frames, figures, sentences) is derived from it.
 */

import { Frames } from "./fold.mjs";
import { Ledger } from "./metrics.mjs";
import { markWords } from "./sentences.mjs";

let made = 0;

export class Recording {
  constructor(header) {
    this.header = header;
    this.key = `recording ${(made += 1)}`; // of this page alone: another file may hold another run under the same id
    this.steps = [];
    this.end = null;
    this.pieces = new Map();
    this.frames = new Frames(header);
    this.ledger = new Ledger();
    this.configs = []; // the settings in force at each step; one object for as long as none changes
    this.marks = [];
    this.addPieces(header.pieces);
  }

  get length() {
    return this.header.config.gen_length;
  }

  /** Take in a step or the end. */
  add(record) {
    if (record.type === "end") {
      this.end = record;
      return;
    }
    this.addPieces(record.pieces);
    this.steps.push(record);
    this.frames.push(record);
    this.ledger.push(record);
    const moved = !this.configs.length || record.events.some((event) => event.type === "config");
    this.configs.push(moved ? { ...this.frames.head.config } : this.configs.at(-1));
    this.marks.push(...marksOf(record));
  }

  /** What was on screen after step `n` (from 0), or inside it after its first `until` happenings. */
  frame(n, until = null) {
    return until === null ? this.frames.at(n) : this.frames.within(n, until);
  }

  /** The text of a token; a token without text is named by its number. */
  text(token) {
    return this.pieces.get(token) ?? `#${token}`;
  }

  addPieces(pieces) {
    for (const [token, piece] of Object.entries(pieces)) this.pieces.set(Number(token), piece);
  }
}

/** The kinds of marks on the timeline, in the order in which they are explained. */
export const MARKS = ["merge", "sync", "refresh", "ahead", "knob", "eos"];

const MARK_OF = { merge: "merge", sync: "sync", eos: "eos", config: "knob", add: "knob", drop: "knob", resize: "knob" };

const OF_STEPS = new Set(["refresh", "ahead"]); // what a step is, not what happens in it
const IN_LANES = new Set(["merge", "sync"]); // the other kinds stand in the lane of events
const APART = 0.3; // of a step's slot: between marks that share a lane and a step

/**
 * One mark for each lane and kind of a step: {step, kind, lane, aside, branch, position, words}, as `ui.lanes.Mark`.
 * Those that share a lane stand beside each other.
 */
export function marksOf(step) {
  const lanes = new Map(OF_STEPS.has(step.kind) ? [[null, new Map([[step.kind, []]])]] : []);
  for (const event of step.events) {
    const kind = MARK_OF[event.type];
    if (!kind) continue;
    const lane = IN_LANES.has(kind) ? event.branch : null;
    if (!lanes.has(lane)) lanes.set(lane, new Map());
    lanes.get(lane).set(kind, [...(lanes.get(lane).get(kind) ?? []), event]);
  }
  return [...lanes].flatMap(([lane, kinds]) => beside(step.index, lane, kinds));
}

function beside(step, lane, kinds) {
  const present = MARKS.filter((kind) => kinds.has(kind));
  return present.map((kind, place) => ({
    ...{ step, kind, lane, aside: APART * (place - (present.length - 1) / 2) },
    ...cellOf(kind, kinds.get(kind)[0]),
    words: markWords(kind, kinds.get(kind)),
  }));
}

/** The cell that a mark is about, if any. */
function cellOf(kind, event) {
  if (OF_STEPS.has(kind) || kind === "knob") return { branch: null, position: null };
  return { branch: event.branch, position: event.position ?? event.positions[0] ?? null };
}

/** The nearest step with a mark, after (`direction` 1) or before (-1) step `n`; null where there is none. */
export function nextMarked(marks, n, direction) {
  const steps = marks.map((mark) => mark.step).filter((step) => (step - n) * direction > 0);
  if (!steps.length) return null;
  return direction > 0 ? Math.min(...steps) : Math.max(...steps);
}
