/** Two runs side by side: where their answers part, which cells differ, and their figures. */

import { MASKED } from "./fold.mjs";
import { figures, speaker } from "./metrics.mjs";
import { quoted } from "./sentences.mjs";

/** The first position at which both rows hold a token and the tokens differ; null where there is none. */
export function firstDivergence(left, right) {
  return differing(left, right)[0] ?? null;
}

/** All positions at which both rows hold a token and the tokens differ. */
export function differing(left, right) {
  const positions = [];
  for (let p = 0; p < Math.min(left.length, right.length); p += 1) {
    if (left[p] !== MASKED && right[p] !== MASKED && left[p] !== right[p]) positions.push(p);
  }
  return positions;
}

/** The last step of a run that is not after step `n`: a shorter run rests at its end. */
export function clamped(recording, n) {
  return Math.min(n, recording.steps.length - 1);
}

/** The row that speaks for a run after step `n`, or after its last: the winner's in the end, the leader's before. */
export function answerRow(recording, n = Infinity) {
  const frame = recording.frame(clamped(recording, n));
  return speaker(recording, frame).token;
}

/** The text of each token of a row, and of every end of text the same: what the tokens of two models have in common. */
function wordsOf(recording, row) {
  const { eos_id: eos } = recording.header;
  return Array.from(row, (token) => (token === MASKED ? MASKED : token === eos ? "" : recording.text(token)));
}

/**
 * Two runs that are compared, `a` above `b`. Both may still grow; then it is looked again where they part. Tokens of one
 * model differ by their numbers, of two models by their text.
 */
export class Comparison {
  constructor(a, b) {
    Object.assign(this, { a, b, key: "" });
    this.read = a.header.model === b.header.model ? (_, row) => row : wordsOf;
  }

  /** {position, step}: where the answers (so far) first part, and the first step that shows it; null if they do not. */
  get parting() {
    const key = [this.a, this.b].map((run) => `${run.steps.length} ${Boolean(run.end)}`).join();
    if (key !== this.key) this.found = this.findParting();
    this.key = key;
    return this.found;
  }

  findParting() {
    const { a, b } = this;
    const answers = (step) => [a, b].map((run) => this.read(run, answerRow(run, step)));
    const position = firstDivergence(...answers());
    if (position === null) return null;
    const last = Math.max(a.steps.length, b.steps.length) - 1;
    const shows = (step) => differing(...answers(step)).includes(position);
    let step = 0;
    while (step < last && !shows(step)) step += 1;
    return { position, step };
  }

  /** The rings of both runs' speaking rows at two frames, by branch and position; the first parting has its own. */
  rings(frameA, frameB) {
    const [left, right] = [speaker(this.a, frameA), speaker(this.b, frameB)];
    const first = this.parting?.position;
    const apart = differing(this.read(this.a, left.token), this.read(this.b, right.token));
    const kinds = apart.map((p) => [p, p === first ? "first" : "differs"]);
    return [left, right].map((branch) => new Map(kinds.map(([p, kind]) => [`${branch.size} ${p}`, kind])));
  }

  /** Where the answers part, in one sentence. */
  get sentence() {
    const { a, b, parting } = this;
    const over = a.end && b.end ? "" : " so far";
    if (!parting) return `Wherever both hold a token, the two answers are the same${over}.`;
    const [left, right] = [a, b].map((run) => quoted(run, answerRow(run)[parting.position]));
    return `The answers first part at position ${parting.position}${over}: ${left} in A, ${right} in B.`;
  }

  /** The figures up to two frames: [{label, a: {value, detail}, b: {value, detail}}]. */
  figures(frameA, frameB) {
    const [left, right] = [figures(this.a, frameA), figures(this.b, frameB)];
    return left.map(({ label, ...a }, index) => ({ label, a, b: right[index] }));
  }
}

/** What a run is called where two are shown; a fork is named by its step and the thresholds it took there. */
export function titleOf({ header, steps }, name) {
  const { decoder, config, origin } = header;
  if (name) return name;
  if (origin) return [`taken anew from step ${origin.step + 2}`, ...changesAt(steps[origin.step + 1])].join(", ");
  if (config.block_size) return `${decoder}, block ${config.block_size}`;
  return config.block_sizes.length === 1 ? `one block size, ${config.block_sizes[0]}` : "live run";
}

function changesAt(step) {
  const changes = step?.events.filter((event) => event.type === "config") ?? [];
  return changes.map((event) => `${event.field.replace("_threshold", "").replaceAll("_", " ")} ${event.new}`);
}
