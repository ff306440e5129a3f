/**
 * A recorded or running decode, as it arrives: header, steps, end, the text of the tokens, and where it comes from.
 * Everything else (frames, figures, sentences) is derived from it.
 */

import { Frames } from "./fold.mjs";
import { Ledger } from "./metrics.mjs";
import { pixelRow } from "./pixels.mjs";

export class Recording {
  constructor(header) {
    this.header = header;
    this.steps = [];
    this.end = null;
    this.pieces = new Map();
    this.frames = new Frames(header);
    this.ledger = new Ledger();
    this.configs = []; // the settings in force at each step; one object for as long as none changes
    this.marks = [];
    this.history = []; // one entry a step: a pixel row for each branch
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
    this.history.push(new Map(this.frames.head.ordered.map((branch) => [branch.size, pixelRow(branch)])));
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
export const MARKS = ["merge", "sync", "refresh", "knob", "eos"];

const MARK_OF = { merge: "merge", sync: "sync", eos: "eos", config: "knob", add: "knob", drop: "knob", resize: "knob" };

/** One mark for each kind and branch of a step, with how many events it stands for. */
export function marksOf(step) {
  const marks = new Map();
  const put = (kind, branch) => {
    const key = `${kind} ${branch}`;
    const mark = marks.get(key) ?? { step: step.index, kind, branch, count: 0 };
    mark.count += 1;
    marks.set(key, mark);
  };
  if (step.kind === "refresh") put("refresh", null);
  for (const event of step.events) {
    const kind = MARK_OF[event.type];
    if (kind) put(kind, kind === "knob" ? null : event.branch);
  }
  return [...marks.values()];
}

/** The nearest step with a mark, after (`direction` 1) or before (-1) step `n`; null where there is none. */
export function nextMarked(marks, n, direction) {
  const steps = marks.map((mark) => mark.step).filter((step) => (step - n) * direction > 0);
  if (!steps.length) return null;
  return direction > 0 ? Math.min(...steps) : Math.max(...steps);
}
