/** Sentences that say what happened: in a step, at a cell, at a position. Plain text, made from the record alone. */

import { happenings, HOW, MASKED } from "./fold.mjs";
import { visible } from "./pieces.mjs";

const DIGITS = 4; // of a recorded probability
const KIND_NAMES = { init: "first forward", denoise: "denoise", refresh: "full recompute", ahead: "step computed ahead" };

/** Decoders that commit by rank, not by a threshold. */
export const BY_RANK = ["vanilla", "factor"];

/** The settings that a run of this decoder compares a probability with, of those in `config`. */
export function limitsOf({ header }, config) {
  const limits = ["commit_threshold", "merge_threshold"].filter((field) => field in config);
  return BY_RANK.includes(header.decoder) ? [] : limits;
}

/** What the lines over the candidates stand for. */
export function limitWords(recording, config) {
  const limits = limitsOf(recording, config);
  if (!limits.length) return `${recording.header.decoder} commits by rank, not by a threshold`;
  const words = limits.map((field) => `${field.replace("_threshold", "")} ${limit(config[field])}`);
  return `dashed lines: ${words.join(" \u00b7 ")}`;
}

/** The name of a forward's kind on screen. */
export function kindName(kind) {
  return KIND_NAMES[kind] ?? kind;
}

/** What a step did, in one sentence. */
export function stepSentence(step) {
  const parts = [];
  const changes = step.events.map(changeText).filter(Boolean);
  if (changes.length) parts.push(changes.join(", "));
  const commits = step.events.filter((event) => event.type === "commit");
  parts.push(
    commits.length
      ? `${plural(commits.length, "token")} committed by ${plural(distinct(commits), "branch", "branches")}`
      : "nothing committed",
  );
  const merges = step.events.filter((event) => event.type === "merge");
  if (merges.length)
    parts.push(`${plural(merges.length, "consensus commit")} into ${plural(distinct(merges), "branch", "branches")}`);
  parts.push(...resets(step.events));
  const eos = step.events.filter((event) => event.type === "eos");
  if (eos.length) parts.push(`end of text found by ${sizes(eos)}`);
  const ahead = step.events.find((event) => event.type === "ahead");
  if (ahead) parts.push(`${plural(ahead.positions.length, "row")} of block ${ahead.branch} computed ahead`);
  const kind = kindName(step.kind);
  return `${kind[0].toUpperCase()}${kind.slice(1)}: ${parts.join("; ")}.`;
}

function resets(events) {
  const syncs = events.filter((event) => event.type === "sync");
  if (!syncs.length) return [];
  return [`leader reset of ${sizes(syncs)} to block ${syncs[0].leader}`];
}

function sizes(events) {
  const names = events.map((event) => event.branch);
  return names.length > 1 ? `blocks ${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : `block ${names[0]}`;
}

/** A change of settings or branches in words, null for other events. */
export function changeText(event) {
  if (event.type === "config") return `${event.field.replaceAll("_", " ")} set from ${event.old} to ${event.new}`;
  if (event.type === "add") return `block ${event.branch} added as a copy of block ${event.source}`;
  if (event.type === "drop") return `block ${event.branch} dropped`;
  if (event.type === "resize") return `block ${event.branch} resized to ${event.size}`;
  return null;
}

/** What one happening of a step did (see `happenings`), which is number `until` of it. */
export function happeningSentence(recording, step, until) {
  const all = happenings(step);
  const text = happeningText(recording, all[until - 1]);
  return `Event ${until} of ${all.length}: ${text}.`;
}

function happeningText(recording, event) {
  const token = event.token === undefined ? "" : quoted(recording, event.token);
  const at = `at position ${event.position}`;
  switch (event.type) {
    case "forward":
      if (event.kind === "ahead") return "no forward is needed: the one before has computed just this row and window";
      return `the forward (${kindName(event.kind)}) gives every masked position of the windows its candidates`;
    case "commit":
      return `block ${event.branch} ${event.forced ? "is forced to commit" : "commits"} ${token} ${chance(event.probability)} ${at}`;
    case "merge":
      return `block ${event.branch} takes over ${token} ${at} from block ${event.source}, giving it ${chance(event.probability)} itself`;
    case "sync":
      return `block ${event.branch}, ${plural(event.gained, "token")} behind, is reset to the leader, block ${event.leader}`;
    case "refresh":
      return `all keys and values are recomputed (${event.reason})`;
    case "ahead":
      return `the forward also computes block ${event.branch} with ${tokensAhead(recording, event)} written`;
    case "eos":
      return `block ${event.branch} finds an end of text ${at}, with ${chance(event.probability)}`;
    default:
      return changeText(event);
  }
}

/** The drafts that rows were computed ahead with: one more in each. */
function tokensAhead(recording, { tokens, positions }) {
  const shown = tokens.map((token) => quoted(recording, token)).join(", ");
  return `${shown} (one more in each row) from position ${positions[0]} on`;
}

/** Why a cell holds what it holds, with its numbers. */
export function cellSentence(recording, frame, branch, position) {
  const cell = branch.token[position] === MASKED ? heldSentence : writtenSentence;
  return cell(recording, frame, branch, position);
}

function heldSentence(recording, frame, branch, position) {
  const now = heldNow(recording, frame, branch, position);
  return branch.was[position] === MASKED ? now : `Taken back by ${byReset(recording, branch, position)}. ${now}`;
}

/** The leader reset that gave a cell what it holds, and what it held before. */
function byReset(recording, branch, position) {
  const reset = `the leader reset from block ${branch.source[position]} at step ${branch.since[position] + 1}`;
  const was = branch.was[position];
  return was === MASKED ? reset : `${reset} (was ${quoted(recording, was)})`;
}

function heldNow(recording, frame, branch, position) {
  if (branch.seen[position] < 0) {
    return `Still masked: no window of block ${branch.size} has reached this position yet.`;
  }
  const [start, end] = branch.window;
  const against = comparedWith(recording, frame.config);
  const best = `best candidate ${quoted(recording, branch.draft[position])} ${chance(branch.draftConfidence[position], against)}`;
  if (position < start || position >= end)
    return `Still masked, outside the active window: ${best} when last seen, at step ${branch.seen[position] + 1}.`;
  return `Held: ${best} ${heldBecause(recording, frame, branch, position)}.`;
}

function heldBecause({ header }, { config }, branch, position) {
  const threshold = Number(config.commit_threshold);
  if (BY_RANK.includes(header.decoder)) return "was not among the most confident of its block";
  if (branch.draftConfidence[position] < threshold) return `< ${limit(threshold)}, the commit threshold`;
  if (config.eos_in_order && branch.draft[position] === header.eos_id) return "waits until all before it is written";
  return `at step ${branch.seen[position] + 1}`;
}

function writtenSentence(recording, frame, branch, position) {
  const token = quoted(recording, branch.token[position]);
  const confidence = branch.confidence[position];
  const step = branch.since[position];
  const config = step === frame.step ? frame.config : recording.configs[step];
  switch (branch.how[position]) {
    case HOW.merge:
      return `Consensus commit from block ${branch.source[position]} at step ${step + 1}: this branch gives ${token} ${chance(confidence, config.merge_threshold)}, above the merge threshold ${limit(config.merge_threshold)}.`;
    case HOW.copy:
      return `${branch.was[position] === MASKED ? "Copied" : "Overwritten"} by ${byReset(recording, branch, position)}: the leader holds ${token} with ${chance(confidence)}.`;
    case HOW.forced:
      return `Forced at step ${step + 1}: ${token} ${chance(confidence, config.commit_threshold)} was ${forcedBecause(config)}, so it was committed below the threshold.`;
    default:
      return `Committed at step ${step + 1}: ${token} ${chance(confidence, comparedWith(recording, config))} ${committedBecause(recording, config, confidence)}.`;
  }
}

/** What a commit compares a confidence with, null where it goes by rank. */
function comparedWith({ header }, config) {
  return BY_RANK.includes(header.decoder) ? null : config.commit_threshold;
}

function committedBecause({ header }, { commit_threshold: least, joint_threshold: joint }, confidence) {
  const commit = `the commit threshold ${limit(least)}`;
  if (BY_RANK.includes(header.decoder)) return "was among the most confident of its block";
  if (confidence >= Number(least)) return `reached ${commit}`;
  if (header.decoder === "local-leap") return `stood near a token that reached ${commit}`;
  return `together with what stood masked before it, above the joint threshold ${limit(joint)}`;
}

function forcedBecause({ forced_reach: reach }) {
  if (reach === 1) return "at the first masked position";
  return `the most confident candidate of ${reach ? `the first ${reach} masked positions` : "its window"}`;
}

/**
 * Everything that happened at a position of a branch up to step `n`, of which only the first `until` happenings count:
 * [{step, text, type}], oldest first. Before a branch was resized it had another name, and what it was added as a copy of
 * has its history, too.
 */
export function cellHistory(recording, n, size, position, until = Infinity) {
  const history = [];
  let name = size; // at the happening looked at, from the last to the first
  for (const step of recording.steps.slice(0, n + 1).reverse()) {
    const happened = happenings(step).slice(0, step.index === n ? until : Infinity);
    for (const event of happened.reverse()) {
      const text = event.branch === name && touches(event, position) && eventText(recording, event, position);
      if (text) history.push({ step: step.index, type: event.type, text });
      name = nameBefore(event, name);
    }
  }
  return history.reverse();
}

function nameBefore({ type, branch, source, size }, name) {
  if (type === "add" && branch === name) return source;
  return type === "resize" && size === name ? branch : name;
}

function touches(event, position) {
  return event.position === position || event.positions?.includes(position);
}

function eventText(recording, event, position) {
  if (event.type === "commit")
    return `${event.forced ? "forced" : "committed"} ${quoted(recording, event.token)} ${chance(event.probability)}`;
  if (event.type === "merge")
    return `consensus commit from block ${event.source}: ${quoted(recording, event.token)} ${chance(event.probability)}`;
  if (event.type === "sync") return `leader reset from block ${event.leader}`;
  if (event.type === "eos" && event.position === position) return `end of text ${chance(event.probability)}`;
  return null;
}

/** What a mark of the timeline stands for. */
export function markWords(kind, events) {
  const [{ branch, leader, gained } = {}] = events;
  switch (kind) {
    case "merge":
      return `block ${branch}: ${plural(events.length, "consensus commit")}`;
    case "sync":
      return `block ${branch}: leader reset to block ${leader}, tokens gained: ${gained}`;
    case "eos":
      return `end of text in block ${events.map((event) => event.branch).join(", ")}`;
    case "knob":
      return events.map(changeText).join("; ");
    case "ahead":
      return "no forward: computed ahead";
    default:
      return "full recompute";
  }
}

/** A token in quotes, its line breaks visible. */
export function quoted(recording, token) {
  return token === recording.header.eos_id
    ? "the end-of-text token"
    : `\u201c${isolated(visible(recording.text(token).trim() || recording.text(token)))}\u201d`;
}

const LEFTWARD = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Text that may run from right to left, such that the numbers and words around it keep their order. */
function isolated(text) {
  return LEFTWARD.test(text) ? `\u2068${text}\u2069` : text;
}

/** A threshold as it was set, in two digits at least. */
export function limit(value) {
  const short = Number(value).toFixed(2);
  return Number(short) === Number(value) ? short : String(Number(value));
}

/** A probability in two digits, never rounded up to 1, or in more where only they show on which side of a threshold it is. */
export function chance(probability, threshold = null) {
  const side = (value) => Math.sign(value - Number(threshold));
  let digits = 2;
  const text = () => (Math.floor(probability * 10 ** digits + 1e-6) / 10 ** digits).toFixed(digits);
  while (threshold !== null && digits < DIGITS && side(Number(text())) !== side(probability)) digits += 1;
  return text();
}

export function plural(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

function distinct(events) {
  return new Set(events.map((event) => event.branch)).size;
}
