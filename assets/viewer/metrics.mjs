/** Figures of a run up to a step, each with what it is divided by. They equal `blockbatch.metrics` at the last step. */

import { happenings, MASKED } from "./fold.mjs";

const KINDS = ["init", "denoise", "refresh"];

/** Running totals, one entry a step. */
export class Ledger {
  constructor() {
    this.entries = [];
  }

  push(step) {
    const entry = this.within(step);
    for (const name of ["consensus", "recording"]) entry.milliseconds[name] += step.milliseconds[name];
    this.entries.push(entry);
  }

  /** Totals inside a step, after its first `until` happenings; only its forward has taken time by then. */
  within(step, until = Infinity) {
    const entry = structuredClone(this.at(step.index - 1));
    for (const happening of happenings(step).slice(0, until)) {
      if (happening.type === "forward") {
        entry[step.kind] += 1;
        entry.milliseconds.forward += step.milliseconds.forward;
      } else count(entry, happening);
    }
    return entry;
  }

  /** Totals of the steps up to and with `n`. */
  at(n) {
    return this.entries[n] ?? emptyEntry();
  }
}

function emptyEntry() {
  return {
    init: 0,
    denoise: 0,
    refresh: 0,
    ahead: 0,
    committed: 0,
    merged: 0,
    copied: 0,
    resets: 0,
    milliseconds: { forward: 0, consensus: 0, recording: 0 },
  };
}

function count(entry, event) {
  if (event.type === "commit") entry.committed += 1;
  if (event.type === "merge") entry.merged += 1;
  if (event.type === "sync") {
    entry.copied += event.gained;
    entry.resets += 1;
  }
}

/** Number of model calls, however many branches took part in each. */
export function forwards(entry) {
  return KINDS.reduce((sum, kind) => sum + entry[kind], 0);
}

/** {same, held}: positions where all branches hold the same token, and where all hold one. */
export function agreement(branches) {
  let [same, held] = [0, 0];
  const [first, ...others] = branches;
  for (let position = 0; position < first.token.length; position += 1) {
    if (branches.some((branch) => branch.token[position] === MASKED)) continue;
    held += 1;
    if (others.every((branch) => branch.token[position] === first.token[position])) same += 1;
  }
  return { same, held };
}

/** Tokens that a row holds before its first end of text. */
export function tokensBefore(row, eos) {
  const end = row.indexOf(eos);
  return row.subarray(0, end < 0 ? row.length : end).reduce((sum, token) => sum + (token !== MASKED), 0);
}

/** Whether a run has ended at a frame; inside its last step it has not. */
export function over(recording, frame) {
  return Boolean(recording.end) && frame.step === recording.steps.length - 1 && !(frame.until < Infinity);
}

/** The branch that speaks for a run at a frame: the winner once it has ended, the leader before. */
export function speaker(recording, frame) {
  return (over(recording, frame) && frame.branches.get(recording.end.winner)) || frame.leader;
}

/** The strip of figures under the picture: {value, label, detail}. */
export function figures(recording, frame) {
  const { ledger, steps } = recording;
  const entry = frame.until < Infinity ? ledger.within(steps[frame.step], frame.until) : ledger.at(frame.step);
  const calls = forwards(entry);
  const voice = speaker(recording, frame);
  const tokens = tokensBefore(voice.token, recording.header.eos_id);
  const written = entry.committed + entry.merged;
  const { forward, consensus, recording: record } = entry.milliseconds;
  return [
    {
      value: `${calls}`,
      label: "forwards",
      detail: `${entry.init} init, ${entry.denoise} denoise, ${entry.refresh} full recompute${aheadPart(entry)}`,
    },
    {
      value: calls ? (tokens / calls).toFixed(1) : "0",
      label: "tokens per forward",
      detail: `${tokens} tokens of block ${voice.size} / ${calls} forwards`,
    },
    {
      value: duration(forward + consensus + record),
      label: "wall time",
      detail: `${duration(forward)} model, ${duration(consensus)} consensus, ${duration(record)} recording`,
    },
    { value: `${entry.merged}`, label: "consensus commits", detail: `of ${written} tokens written by all branches` },
    {
      value: `${entry.copied}`,
      label: "tokens copied",
      detail: `gained in ${entry.resets} leader ${entry.resets === 1 ? "reset" : "resets"}`,
    },
    agreementFigure(frame.ordered),
  ];
}

/** Steps that needed no forward, where there are any. */
function aheadPart({ ahead }) {
  return ahead ? `; ${ahead} ${ahead === 1 ? "step" : "steps"} ahead` : "";
}

/** Agreement among several branches; a run of one has none. */
function agreementFigure(branches) {
  const { same, held } = agreement(branches);
  const alone = branches.length < 2;
  const percent = Math.min(Math.round((100 * same) / held), same < held ? 99 : 100); // 100 is all of them, and no fewer
  return {
    value: held && !alone ? `${percent}%` : "\u2013",
    label: "agreement",
    detail: alone ? "there is only one branch" : `${same} of ${held} positions that all ${branches.length} hold`,
  };
}

/** Milliseconds as a person reads them. */
export function duration(milliseconds) {
  if (milliseconds >= 999.5) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${milliseconds >= 9.95 ? Math.round(milliseconds) : milliseconds.toFixed(1)} ms`;
}
