/**
 * The lesson: a run in, its cards out. Every number, token and answer is read off the run's record, and a card whose
 * moment the run does not have is left out.
 *
 * A card is {id, title, text, at, branch, position, cells, part, question}: `at` the place it goes to (see
 * teachmoments.mjs), `branch` and `position` the cell it points at, `cells` those it rings as [branch, position], `part` a
 * part of the page that it outlines, and `question` null or {text, options, answer, reveal, then}, whose `answer` is the
 * index of the right option and `then` the place that shows it.
 */

import { MASKED, sizesOf } from "./fold.mjs";
import { figures, forwards, tokensBefore, speaker } from "./metrics.mjs";
import { chance, limit, plural, quoted } from "./sentences.mjs";
import {
  answerOf,
  firstMerge,
  firstRecompute,
  heldCandidate,
  partingAndMeeting,
  sharedStart,
  tellingReset,
} from "./teachmoments.mjs";

const NUMBERS = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"];
const YES_NO = ["Yes", "No"];
const START = { step: 0, until: 1 };

/**
 * The cards of a run that has ended. `right` says that its answer is known to be right; `contrast`, where there is one, is
 * {decoder, block_size, forwards, tokens} of a baseline on the same prompt.
 */
export function lessonCards(recording, { right = false, contrast = null } = {}) {
  const sizes = sizesOf(recording.header.config);
  if (!recording.end || sizes.length < 2) return [];
  const reset = tellingReset(recording);
  const cards = [
    dilemma(sizes),
    scouts(sizes),
    start(recording, sharedStart(recording)),
    sure(recording, heldCandidate(recording)),
    handshake(recording, firstMerge(recording)),
    resetCard(recording, reset, right),
    recompute(recording, firstRecompute(recording)),
    parting(recording, partingAndMeeting(recording, reset?.position)),
    result(recording, right, contrast),
    next(recording),
  ];
  return cards.filter(Boolean).map((card) => ({ ...PLAIN, ...card }));
}

const PLAIN = { branch: null, position: null, cells: [], part: null, question: null };

function dilemma(sizes) {
  return {
    id: "dilemma",
    title: "One block size, one dilemma",
    text: `A diffusion model fills masked positions, block after block. A small block, say ${sizes[0]}, is careful and slow: few positions a forward. A large one, say ${sizes.at(-1)}, is bold and sometimes wrong. Until now, one size had to be chosen beforehand.`,
    at: START,
    branch: sizes[0],
    position: 0,
  };
}

function scouts(sizes) {
  return {
    id: "scouts",
    title: `${NUMBERS[sizes.length] ?? sizes.length} scouts at once`,
    text: `Here ${sizes.length} branches write the same answer, with block sizes ${list(sizes)}. Each keeps a row of tokens of its own. They share every forward of the model, so another scout costs no further call.`,
    at: START,
    branch: sizes.at(-1),
    position: 0,
    part: "labels",
  };
}

function start(recording, moment) {
  if (!moment) return null;
  const { before, after, leader, counts, ends } = moment;
  const sizes = [...counts.keys()];
  const options = someOf([sizes[0], sizes[sizes.length >> 1], sizes.at(-1)], leader, sizes);
  const least = Math.min(...counts.values());
  const slowest = sizes.find((size) => counts.get(size) === least);
  return {
    id: "start",
    title: "A shared start",
    text: `At first everything is masked, so one forward serves all branches: its candidates stand faint. Now each branch commits, inside its own block only, what the model is sure of.`,
    at: before,
    branch: sizes.at(-1),
    position: 0,
    question: {
      text: "Which branch leads after this step?",
      options: options.map((size) => `block ${size}`),
      answer: options.indexOf(leader),
      reveal: `Block ${leader} leads with ${plural(counts.get(leader), "token")}${endsText(ends, counts.get(leader))}; block ${slowest} has ${counts.get(slowest)}. The leader is the branch that has decoded most, the smaller one on a tie.`,
      then: after,
    },
  };
}

function endsText(ends, count) {
  if (!ends) return "";
  return `, ${ends === count ? "all" : ends} of them ends of text`;
}

function sure(recording, moment) {
  if (!moment) return null;
  const { branch, position, token, probability, threshold, before, after } = moment;
  return {
    id: "sure",
    title: "Sure enough?",
    text: `A branch commits a candidate only at the commit threshold, ${limit(threshold)}, or above; the most confident one of its block goes in anyway. At position ${position}, block ${branch} would write ${quoted(recording, token)} with ${chance(probability, threshold)}. Others in its block are surer.`,
    at: before,
    branch,
    position,
    cells: [[branch, position]],
    question: {
      text: `Will block ${branch} commit it in this step?`,
      options: YES_NO,
      answer: 1,
      reveal: `No: ${chance(probability, threshold)} < ${limit(threshold)}. The position stays masked and is looked at again, when more around it is known.`,
      then: after,
    },
  };
}

function handshake(recording, moment) {
  if (!moment) return null;
  const { event, before, after } = moment;
  const { branch, source, position, probability } = event;
  const threshold = Number(recording.frame(after.step).config.merge_threshold);
  const token = quoted(recording, event.token);
  return {
    id: "handshake",
    title: "The confidence handshake",
    text: `Block ${source} holds ${token} at position ${position}; block ${branch} has nothing there yet. It does not just copy: it looks at what its own forward gave ${token}, which is ${chance(probability, threshold)}. The merge threshold is ${limit(threshold)}.`,
    at: before,
    branch,
    position,
    cells: [
      [branch, position],
      [source, position],
    ],
    question: {
      text: `Will block ${branch} take over ${token}?`,
      options: YES_NO,
      answer: 0,
      reveal: `Yes: ${chance(probability, threshold)} > ${limit(threshold)}. This is a consensus commit, marked with a diamond: two scouts agree, and the token costs no forward of its own.`,
      then: after,
    },
  };
}

function resetCard(recording, moment, right) {
  if (!moment) return null;
  const { event, before, after, position, old, wrong } = moment;
  const { branch, leader, gained } = event;
  const held = old === MASKED ? "nothing yet" : quoted(recording, old);
  const copied = quoted(recording, moment.new);
  const threshold = recording.frame(after.step).config.sync_threshold;
  const options = inOrder([old === MASKED ? "nothing" : held, copied]);
  const contradicted = right && wrong ? ` The answer, which is right, does not hold ${held} there.` : "";
  return {
    id: "reset",
    title: "The leader reset",
    text: `At position ${position}, block ${branch} holds ${held}; the leader, block ${leader}, holds ${copied}. Block ${branch} has decoded ${plural(gained, "token")} fewer than the leader, and the sync threshold is ${threshold}.`,
    at: before,
    branch,
    position,
    cells: [
      [branch, position],
      [leader, position],
    ],
    question: {
      text: `What will block ${branch} hold there next?`,
      options,
      answer: options.indexOf(copied),
      reveal: `${copied}: ${gained} > ${threshold}, too far behind, so it starts again from a copy of the leader, tokens and cache. A triangle marks what came so.${contradicted}`,
      then: after,
    },
  };
}

function recompute(recording, moment) {
  if (!moment) return null;
  const { before, branches, reason } = moment;
  const { config } = recording.frame(before.step);
  const why = {
    interval: `, because a branch had moved on by ${config.refresh_interval} tokens`,
    divergence: ", because the caches of the branches had drifted apart",
  };
  return {
    id: "recompute",
    title: "The reality check",
    text: `A forward over the blocks alone trusts the cache for all the rest, and caches grow stale. Step ${before.step + 1} therefore computes ${branches.length > 1 ? `all ${branches.length} rows` : "the row"} afresh, whole${why[reason] ?? ""}. A square marks it. It is more work than a denoise, but one forward.`,
    at: before,
    branch: branches.at(-1),
    part: "timeline",
  };
}

function parting(recording, moment) {
  if (!moment) return null;
  const { position, branches, tokens, before, after, met, byReset } = moment;
  const final = answerOf(recording)[position];
  const options = inOrder([...new Set([...tokens, final])].map((token) => quoted(recording, token)));
  if (options.length < 2) return null;
  const [one, other] = tokens.map((token) => quoted(recording, token));
  const how = byReset === null ? "" : ` A leader reset brought block ${byReset} there.`;
  return {
    id: "parting",
    title: "Parting and meeting",
    text: `After step ${before.step + 1} two scouts disagree at position ${position}: block ${branches[0]} holds ${one}, block ${branches[1]} holds ${other}. While they part, neither takes a token from the other.`,
    at: before,
    branch: branches[0],
    position,
    cells: branches.map((size) => [size, position]),
    question: {
      text: "Which of them stands in the answer in the end?",
      options,
      answer: options.indexOf(quoted(recording, final)),
      reveal: `${quoted(recording, final)}. After step ${after.step + 1} both hold ${quoted(recording, met)}.${how}`,
      then: after,
    },
  };
}

function result(recording, right, contrast) {
  const last = recording.steps.length - 1;
  const frame = recording.frame(last);
  const voice = speaker(recording, frame);
  const tokens = tokensBefore(voice.token, recording.header.eos_id);
  const calls = forwards(recording.ledger.at(last));
  const rate = figures(recording, frame).find(({ label }) => label === "tokens per forward").value;
  const verdict = right ? "The answer is right: " : "";
  return {
    id: "result",
    title: "What it brought",
    text: `${verdict}${plural(tokens, "token")} in ${plural(calls, "forward")}, ${rate} tokens a forward, by the row of block ${voice.size}. A forward of ${frame.branches.size} branches is more work than one of a single branch; what is saved is calls.`,
    at: { step: last, until: null },
    branch: voice.size,
    part: "figures",
    question: contrast && comparison(calls, rate, contrast, last),
  };
}

function comparison(calls, rate, contrast, last) {
  const name = `${contrast.decoder} with one block size, ${contrast.block_size}`;
  const other = (contrast.tokens / contrast.forwards).toFixed(1);
  return {
    text: `Fast-dLLM decodes the same prompt (${name}). Does it take more forwards, or fewer?`,
    options: ["more", "fewer", "as many"],
    answer: contrast.forwards > calls ? 0 : contrast.forwards < calls ? 1 : 2,
    reveal: `It takes ${plural(contrast.forwards, "forward")} for ${plural(contrast.tokens, "token")}, ${other} a forward, against ${calls} and ${rate} here. One prompt proves nothing; a benchmark counts many.`,
    then: { step: last, until: null },
  };
}

function next(recording) {
  return {
    id: "next",
    title: "Now you",
    text: "Leave the lesson. Drag the commit threshold under What if and see which cells flip. Start a contrast under Compare. Or write a prompt, press Run and move the knobs while it decodes. The key g explains every word.",
    at: { step: recording.steps.length - 1, until: null },
  };
}

/** 2 or 3 of the sizes, ascending: `wanted` and, as far as they are others, `first` ones. */
function someOf(first, wanted, sizes) {
  const picked = new Set([wanted, ...first, ...sizes]);
  return [...picked].slice(0, 3).sort((a, b) => a - b);
}

/** Texts in an order that does not tell which is right. */
function inOrder(texts) {
  return [...new Set(texts)].sort((a, b) => (a < b ? -1 : 1));
}

function list(values) {
  return `${values.slice(0, -1).join(", ")} and ${values.at(-1)}`;
}
