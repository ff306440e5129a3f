/**
 * What the colour of a token's cell can stand for. Each fill gives a cell its colour, the share its bar shows where it
 * has one (so that colour is not the only sign), and the keys of its legend.
 */

import { cividis, css, gradient } from "./colors.mjs";
import { MASKED } from "./fold.mjs";
import { WORDS } from "./words.mjs";

/** Nats at which the scale of entropy ends; more is drawn as this. */
export const MOST_ENTROPY = 3;

/** Pale blue, vermillion and grey: they differ in lightness too, and the marks of events stand out from all three. */
const AGREEMENT = { agrees: [173, 208, 230], parts: [213, 94, 0], alone: [118, 124, 130] };

/** {held, same}: how many branches hold a token at a position, and how many of them hold `token`. */
export function holders(branches, position, token) {
  const held = branches.filter((branch) => branch.token[position] !== MASKED);
  return { held: held.length, same: held.filter((branch) => branch.token[position] === token).length };
}

/** agrees: all that hold a token here hold this one; parts: some hold another; alone: no other branch holds one. */
export function agreementOf({ held, same }) {
  if (held === 1) return "alone";
  return same === held ? "agrees" : "parts";
}

const scale = (low, high) => [
  { text: low },
  { css: gradient(), wide: true, text: high },
];

/**
 * By name: `written(cell)` gives {colour, bar} of a token's cell and `draft(cell)` that of a masked one's candidate,
 * null for none. A cell is {branch, branches, position, count}, `count` being the steps of the run.
 */
export const FILLS = {
  confidence: {
    name: "confidence",
    meaning: WORDS.confidence.meaning,
    written: ({ branch, position }) => ({ colour: cividis(branch.confidence[position]) }),
    draft: ({ branch, position }) => shade(branch.draftConfidence[position]),
    legend: () => scale("confidence 0", "1"),
  },
  step: {
    name: "step of commit",
    meaning: WORDS.step_of_commit.meaning,
    written: ({ branch, position, count }) => ({ colour: cividis(branch.since[position] / Math.max(count - 1, 1)) }),
    draft: () => null,
    legend: ({ count }) => scale("written at step 1", `${count}`),
  },
  agreement: {
    name: "agreement",
    meaning: WORDS.agreement.meaning,
    written: agreementCell,
    draft: () => null,
    legend: () => [
      { css: css(AGREEMENT.agrees), text: "all that hold one agree" },
      { css: css(AGREEMENT.parts), bar: true, text: "they part; bar: share with this token" },
      { css: css(AGREEMENT.alone), text: "only this branch holds one" },
    ],
  },
  entropy: {
    name: "entropy",
    meaning: WORDS.entropy.meaning,
    written: ({ branch, position }) => ({
      colour: branch.seen[position] < 0 ? null : cividis(entropyShare(branch, position)),
    }),
    draft: ({ branch, position }) => shade(entropyShare(branch, position)),
    legend: () => scale("entropy 0", `${MOST_ENTROPY} nats or more`),
  },
};

function agreementCell({ branch, branches, position }) {
  const count = holders(branches, position, branch.token[position]);
  const kind = agreementOf(count);
  return { colour: AGREEMENT[kind], bar: kind === "parts" ? count.same / count.held : null };
}

function entropyShare(branch, position) {
  return Math.min(branch.entropy[position] / MOST_ENTROPY, 1);
}

function shade(share) {
  return { colour: cividis(share), bar: share };
}
