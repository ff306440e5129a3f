/**
 * The moments of a run that a lesson is about, each found in its record; null where the run has none.
 *
 * A place {step, until} is a step, or with a number in `until` the inside of it after so many happenings (see fold.mjs).
 */

import { happenings, HOW, MASKED } from "./fold.mjs";
import { speaker } from "./metrics.mjs";

/** Everything that happens in a run, in order: [{event, before, after}], the places just around each. */
export function allHappenings({ steps }) {
  return steps.flatMap((step) =>
    happenings(step).map((event, index) => ({
      event,
      before: { step: step.index, until: index },
      after: { step: step.index, until: index + 1 },
    })),
  );
}

/** The branches at a place. */
export function frameAt(recording, { step, until }) {
  return recording.frame(step, until);
}

/** The answer in the end, token by token. */
export function answerOf(recording) {
  const row = speaker(recording, recording.frame(recording.steps.length - 1)).token;
  const end = row.indexOf(recording.header.eos_id);
  return row.slice(0, end < 0 ? row.length : end);
}

/**
 * Who leads when the first step has committed: {before, after, leader, counts: Map(size -> tokens), ends}; `ends` is how
 * many of the leader's tokens are end-of-text tokens.
 */
export function sharedStart(recording) {
  const places = allHappenings({ steps: recording.steps.slice(0, 1) });
  const forward = places.find(({ event }) => event.type === "forward");
  const commits = places.filter(({ event }) => event.type === "commit");
  if (!forward || !commits.length) return null;
  const after = commits.at(-1).after;
  const frame = frameAt(recording, after);
  const counts = new Map(frame.ordered.map((branch) => [branch.size, branch.decoded]));
  const { leader } = frame;
  const ends = leader.token.filter((token) => token === recording.header.eos_id).length;
  return { before: forward.after, after, leader: leader.size, counts, ends };
}

/** The candidate closest beneath the commit threshold in the first denoise that leaves a readable one masked. */
export function heldCandidate(recording) {
  for (const step of recording.steps.filter(({ kind }) => kind === "denoise")) {
    const frame = recording.frame(step.index);
    const threshold = Number(frame.config.commit_threshold);
    const held = frame.ordered
      .flatMap((branch) => heldIn(branch, step.index, threshold))
      .filter(({ token }) => readable(recording, token))
      .sort((a, b) => b.probability - a.probability || a.branch - b.branch);
    const forward = happenings(step).findIndex((event) => event.type === "forward") + 1;
    const [before, after] = [forward, null].map((until) => ({ step: step.index, until }));
    if (held.length) return { ...held[0], threshold, before, after };
  }
  return null;
}

function heldIn(branch, step, threshold) {
  const cells = [];
  for (let position = 0; position < branch.token.length; position += 1) {
    const probability = branch.draftConfidence[position];
    if (branch.token[position] !== MASKED || branch.seen[position] !== step || probability >= threshold) continue;
    cells.push({ branch: branch.size, position, token: branch.draft[position], probability });
  }
  return cells;
}

/** The first consensus commit that can be told: a readable token, and clearly above the merge threshold. */
export function firstMerge(recording) {
  const merges = allHappenings(recording).filter(({ event }) => event.type === "merge");
  const clear = ({ event, after }) =>
    readable(recording, event.token) &&
    event.probability >= Number(recording.frame(after.step).config.merge_threshold) + 0.01;
  return merges.find(clear) ?? null;
}

/**
 * The leader reset that tells most: {event, before, after, position, old, new, wrong}. `before` is the place before the
 * first reset of the step, `old` and `new` are the branch's
 * and the leader's tokens at `position`, and `wrong` says that the answer contradicts `old`. A reset that replaces a wrong
 * token is looked for first, of the boldest branch; then one that replaces any token; then any.
 */
export function tellingReset(recording) {
  const answer = answerOf(recording);
  const resets = allHappenings(recording).filter(({ event }) => event.type === "sync");
  const told = resets.map(fromTheFirst).flatMap((reset) => changesOf(recording, reset, answer));
  const rank = ({ event, old, wrong }) => (wrong ? 1e6 + event.branch : old !== MASKED ? 1e5 : 0);
  return told.reduce((best, each) => (best && rank(best) >= rank(each) ? best : each), null);
}

/** A reset seen from before all resets of its step: once others are level with the leader, no star tells it apart. */
function fromTheFirst(reset, index, resets) {
  const first = resets.find(({ before }) => before.step === reset.before.step);
  return { ...reset, before: first.before };
}

/** The cells of a reset at which the leader holds a token of the answer that can be read. */
function changesOf(recording, reset, answer) {
  const { event, before } = reset;
  const { branches } = frameAt(recording, before);
  const [own, leader] = [branches.get(event.branch), branches.get(event.leader)];
  return event.positions
    .map((position) => ({ ...reset, position, old: own.token[position], new: leader.token[position] }))
    .filter((change) => change.position < answer.length && change.new !== MASKED)
    .filter((change) => readable(recording, change.new, change.old))
    .map((change) => ({ ...change, wrong: change.old !== MASKED && change.old !== answer[change.position] }));
}

/** The first full recompute: {before, after, branches, reason}; reason is empty where none is recorded. */
export function firstRecompute(recording) {
  const step = recording.steps.find(({ kind }) => kind === "refresh");
  if (!step) return null;
  const event = step.events.find(({ type }) => type === "refresh");
  const branches = event?.branches ?? step.branches.filter(({ forward }) => forward).map(({ branch }) => branch);
  const place = { step: step.index, until: null };
  return { before: place, after: place, branches, reason: event?.reason ?? "" };
}

/**
 * Two branches that hold different tokens after a step and the same after a later one, in the answer:
 * {position, branches, tokens, before, after, met, byReset}. One that meets on the answer's own token is preferred, and
 * one elsewhere than at position `apart`.
 */
export function partingAndMeeting(recording, apart = -1) {
  const open = new Map();
  const found = [];
  const answer = answerOf(recording);
  for (const { index } of recording.steps) comparePairs(recording, index, answer.length, open, found);
  const right = found.filter(({ position, met }) => met === answer[position]);
  return right.find(({ position }) => position !== apart) ?? right[0] ?? found[0] ?? null;
}

function comparePairs(recording, step, length, open, found) {
  for (const [one, other] of pairs(recording.frame(step).ordered)) {
    for (let position = 0; position < length; position += 1) {
      const tokens = [one.token[position], other.token[position]];
      if (tokens.includes(MASKED)) continue;
      const key = `${one.size} ${other.size} ${position}`;
      const branches = [one.size, other.size];
      if (tokens[0] !== tokens[1] && !open.has(key) && readable(recording, ...tokens))
        open.set(key, { position, branches, tokens, before: { step, until: null } });
      if (tokens[0] !== tokens[1] || !open.has(key)) continue;
      const copied = (branch) => branch.how[position] === HOW.copy && branch.since[position] === step;
      const byReset = [one, other].find(copied)?.size ?? null;
      found.push({ ...open.get(key), after: { step, until: null }, met: tokens[0], byReset });
      open.delete(key);
    }
  }
}

function pairs(branches) {
  return branches.flatMap((one, index) => branches.slice(index + 1).map((other) => [one, other]));
}

/** Whether all tokens have a text that can be quoted in a sentence: letters, digits or signs, and not the end. */
function readable(recording, ...tokens) {
  const known = tokens.filter((token) => token !== MASKED);
  return known.length > 0 && known.every((token) => token !== recording.header.eos_id && recording.text(token).trim());
}
