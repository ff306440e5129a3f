/**
 * What a recorded step would have done under other thresholds, judged from the record alone, without a model.
 *
 * Commits follow `blockbatch.rules.careful_commits` on the step's recorded candidates, the forced one included. Of merges only
 * those that were made can be judged: the table of a position outside a branch's window is not recorded. What a flip
 * would have caused later in the step is not followed; a run from here shows it.
 */

import { MASKED } from "./fold.mjs";
import { speaker } from "./metrics.mjs";
import { BY_RANK, plural } from "./sentences.mjs";

/** Why the commits of a step cannot be judged, null where they can. `config` is the one in force there. */
export function obstacle(recording, config) {
  const { decoder } = recording.header;
  if (BY_RANK.includes(decoder)) return `A run of ${decoder} does not commit by a threshold.`;
  if (decoder === "local-leap") return "A run of local-leap commits by a lower threshold, too, which is not recorded.";
  if (config.temperature > 0)
    return `At temperature ${config.temperature} the run drew its candidates, and only those it committed are recorded.`;
  return null;
}

/** What the commit rule takes at step `n` under `threshold`: [{branch, position, token, probability, forced}]. */
export function wouldCommit(recording, n, threshold) {
  const step = recording.steps[n];
  const rule = { ...recording.frame(n).config, threshold, eos: recording.header.eos_id };
  return step.candidates.flatMap((candidates) => takenFrom(slotsOf(candidates), step, rule));
}

/** The best candidate at each masked position of a branch's window, first positions first. */
function slotsOf({ branch, positions, counts, tokens, probabilities }) {
  let first = 0;
  return positions.map((position, index) => {
    const slot = { branch, position, token: tokens[first], probability: probabilities[first] };
    first += counts[index];
    return slot;
  });
}

function takenFrom(slots, step, rule) {
  const waits = (slot, index) => rule.eos_in_order && slot.token === rule.eos && index > 0;
  const open = slots.filter((slot, index) => !waits(slot, index));
  const best = mostConfident(rule.forced_reach ? open.slice(0, rule.forced_reach) : open, step);
  const jointly = together(slots, open, rule);
  const forced = jointly.length || !(best?.probability < rule.threshold) ? null : best;
  const sure = open.filter((slot) => slot.probability >= rule.threshold || slot === forced);
  const taken = new Set([...jointly, ...sure]);
  for (const [index, slot] of slots.entries()) {
    if (waits(slot, index) && slot.probability >= rule.threshold) taken.add(slot);
    if (!taken.has(slot)) break; // what comes after it, and ends the text, has to wait
  }
  return slots
    .filter((slot) => taken.has(slot))
    .map((slot) => ({ ...slot, forced: slot === forced }));
}

/** The first slots whose confidences multiply to more than the joint threshold; one that waits is none. */
function together(slots, open, { joint_threshold: joint = 1 }) {
  let product = 1;
  return slots.filter((slot) => (product *= open.includes(slot) ? slot.probability : 0) > joint);
}

/** The first of the most probable; where rounding made several equal, the one that was committed. */
function mostConfident(slots, { events }) {
  const most = Math.max(...slots.map((slot) => slot.probability));
  const equal = slots.filter((slot) => slot.probability === most);
  const committed = ({ branch, position }) =>
    events.some((event) => event.type === "commit" && event.branch === branch && event.position === position);
  return equal.find(committed) ?? equal[0];
}

/**
 * The cells of step `n` that flip under the thresholds {commit, merge}: {gained, lost, unmerged}, each a list of
 * {branch, position, token, probability}. At the thresholds that were in force all are empty.
 */
export function flips(recording, n, { commit, merge }) {
  const step = recording.steps[n];
  const of = (type) => step.events.filter((event) => event.type === type);
  const unmerged = of("merge").filter((event) => event.probability < merge);
  if (obstacle(recording, recording.frame(n).config)) return { gained: [], lost: [], unmerged };
  const [did, would] = [of("commit"), wouldCommit(recording, n, commit)];
  return { gained: without(would, did), lost: without(did, would), unmerged };
}

function without(cells, others) {
  const known = new Set(others.map(cellKey));
  return cells.filter((cell) => !known.has(cellKey(cell)));
}

/** A cell's name, as a key of a map. */
export function cellKey({ branch, position }) {
  return `${branch} ${position}`;
}

/** Those of `cells` that hold another token than the run's answer does there in the end; none before there is one. */
export function notFinal(recording, cells) {
  if (!recording.end) return [];
  const row = speaker(recording, recording.frame(recording.steps.length - 1)).token;
  return cells.filter(({ position, token }) => row[position] !== MASKED && row[position] !== token);
}

/** The flips in one sentence. `own` are the thresholds that were in force, `asked` the others. */
export function flipSentence(recording, { gained, lost, unmerged }, own, asked) {
  const parts = [];
  if (gained.length) parts.push(`${plural(gained.length, "more cell")} would commit${wrongPart(recording, gained)}`);
  if (lost.length) parts.push(`${plural(lost.length, "cell")} would not commit`);
  if (unmerged.length) parts.push(`${plural(unmerged.length, "consensus commit")} would not be taken`);
  const known = parts.length ? `At this step ${parts.join("; ")}.` : "At this step nothing would flip.";
  if (!(asked.merge < own.merge)) return known;
  return `${known} What a lower merge threshold adds cannot be judged: candidates outside a branch's window are not recorded.`;
}

function wrongPart(recording, cells) {
  if (!recording.end) return "";
  const wrong = notFinal(recording, cells).length;
  if (cells.length === 1) return wrong ? ", and it is not what was finally written" : "";
  return wrong ? `, ${wrong} of them not what was finally written` : ", none of them against what was finally written";
}
