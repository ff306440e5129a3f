/**
 * Words on hover and on focus: every control, mark, figure and chip of the page says in one sentence what it is.
 *
 * What the glossary explains takes its text from there; the rest of the page is explained here. Titles show on hover by
 * themselves; for those who use the keyboard the same text appears beside what is focused.
 */

import { el } from "./dom.mjs";
import { WORDS } from "./words.mjs";

const word = (name) => WORDS[name].meaning;

/** What has no title of its own: selector -> sentence. The rail's parts are Gradio's, and may be made anew at any time. */
export const HINTS = {
  "#bb-prompt textarea": "What the model shall answer; a new run starts with it.",
  "#bb-run": "Decode this prompt now, live, under the settings below.",
  "#bb-pause": "Hold the run after its present step, or let it go on.",
  "#bb-step": "Take one step of a held run.",
  "#bb-stop": "End the run after its present step; what was decoded stays.",
  "#bb-pace": "Steps a second of a live run, slow enough to steer; acts at once.",
  "#bb-rail .bb-examples button": "Put another example of this kind into the prompt, one that the model has never seen.",
  "#bb-bundled": "Open one of the recorded runs that come with the page.",
  "#bb-upload": "Open a trace file that was saved here or elsewhere.",
  "#bb-sizes label": `${word("branch")} Switch it on or off; during a run this acts at the next step.`,
  "#bb-new-size": "The block size of a branch to add, from 1 to 1024.",
  "#bb-add": "Add a branch with this block size; during a run it starts as a copy of the leader.",
  "#bb-resized": "The branch that shall go on with another block size.",
  "#bb-resized-to": "Its new block size; its tokens stay.",
  "#bb-resize": "Let the branch go on with the new block size from the next step.",
  "#bb-rail .bb-fold button": "Open or close this part.",
  "#bb-commit": word("commit_threshold"),
  "#bb-merge": word("merge_threshold"),
  "#bb-sync": word("sync_threshold"),
  "#bb-refresh": word("refresh_kind"),
  "#bb-refresh-interval": word("refresh_interval"),
  "#bb-temperature": word("temperature"),
  "#bb-stop-at-text-end": word("stop_at_text_end"),
  "#bb-end-of-text-in-order": word("eos_in_order"),
  "#bb-forced-reach": word("forced_reach"),
  "#bb-joint": word("joint_threshold"),
  "#bb-lookahead": word("lookahead"),
  "#bb-settle-windows": word("settle_windows"),
  "#bb-preset": word("preset"),
  "#bb-length": word("length"),
  "#bb-seed": word("seed"),
  "#bb-sweep-vary": "What differs from cell to cell of the sweep; all else is as the knobs say.",
  "#bb-sweep-and": "A second thing to vary: then there is a cell for each pair of values, and a map of them.",
  "[id^=bb-sweep-][id$=-from]": "The first value.",
  "[id^=bb-sweep-][id$=-to]": "The last value.",
  "[id^=bb-sweep-][id$=-points]": "How many values, the first and the last among them.",
  "#bb-sweep-over": "What each cell decodes: the prompt on the left, or held-out prompts whose answers are checked.",
  "#bb-sweep-prompts": "How many held-out prompts of each family; the same ones in every cell.",
  "#bb-sweep-minutes": "When they are over the sweep stops; what is there stays.",
  "#bb-sweep-run": "Decode all cells, or go on where the same sweep stopped.",
  "#bb-sweep-stop": "Stop after the present step; the runs that were finished stay.",
  "#bb-map": "Whether the map shows forwards (NFE) or the share of right answers.",
  ".bb-header .bb-chip": "Where the run on screen comes from, and what it is doing.",
  "#bb-viewer .bb-label": `${word("decoded")} Press to pick this branch.`,
  "#bb-viewer [data-part=scrub]": word("step"),
  "#bb-viewer [data-part=count]": word("step"),
  "#bb-viewer [data-part=timeline], #bb-viewer [data-part=timelineB]":
    "A lane for each branch, a column for each step; bars are tokens committed, marks are events; press to go there.",
  "#bb-viewer [data-part=canvas], #bb-viewer [data-part=canvasB]":
    "A row for each branch, a column for each position; press a cell to see why it holds what it holds.",
  "#bb-viewer [data-part=branchMap]":
    "The confidence of every branch at every position in this step; press to go there.",
  "#bb-viewer [data-part=historyMap]":
    "The confidence of the picked branch at every position, step after step; press to go there.",
  "#bb-viewer [data-part=candidates]": "The best candidates of the picked cell, each with its confidence.",
  "#bb-viewer [data-part=thresholds]": `${word("commit_threshold")} ${word("merge_threshold")}`,
};

/** The figures of the strip, by their labels, and the words that explain them. */
export const FIGURES = {
  "forwards": "forwards",
  "tokens per forward": "tokens_per_forward",
  "wall time": "wall_time",
  "consensus commits": "merge",
  "tokens copied": "copied",
  "agreement": "agreement_share",
};

const EXPLAINED = "[title], [data-word], .bb-figure";

/** Explain the page; `parts` are those of the viewer. */
export function explainWords({ root, figures }) {
  for (const node of root.querySelectorAll("[data-word]")) node.title = word(node.dataset.word);
  for (const node of root.querySelectorAll(".bb-legend-item")) node.tabIndex = 0;
  new MutationObserver(() => explainFigures(figures)).observe(figures, { childList: true });
  const tip = new Tip();
  for (const type of ["pointerover", "focusin"])
    document.addEventListener(type, ({ target }) => explain(target), { capture: true, passive: true });
  document.addEventListener("focusin", ({ target }) => tip.show(target));
  for (const type of ["focusout", "keydown", "pointerdown", "scroll"])
    document.addEventListener(type, (event) => tip.hide(event), { capture: true, passive: true });
}

/** Give what is pointed at or focused its sentence, just before it is needed. */
function explain(target) {
  for (const [selector, text] of Object.entries(HINTS)) {
    const node = target.closest?.(selector);
    if (node && !node.title && !node.querySelector("[title]")) node.title = text;
  }
}

function explainFigures(figures) {
  for (const figure of figures.children) {
    const name = FIGURES[figure.querySelector("span")?.textContent];
    if (!name || figure.title) continue;
    figure.title = word(name);
    figure.tabIndex = 0;
  }
}

/** The text beside what has the keyboard's focus. */
class Tip {
  constructor() {
    this.node = el("div", "bb-hint");
    this.node.setAttribute("aria-hidden", "true"); // the title is read already
    document.body.append(this.node);
  }

  show(target) {
    const explained = target.closest?.(EXPLAINED);
    if (!explained?.title || target.closest("dialog") || !target.matches(":focus-visible")) return;
    this.node.textContent = explained.title;
    this.node.classList.add("shown");
    const [own, about] = [this.node.getBoundingClientRect(), target.getBoundingClientRect()];
    const left = Math.min(Math.max(about.left, 8), window.innerWidth - own.width - 8);
    const below = about.bottom + 8 + own.height <= window.innerHeight;
    this.node.style.left = `${left}px`;
    this.node.style.top = `${below ? about.bottom + 8 : Math.max(about.top - own.height - 8, 4)}px`;
  }

  hide(event) {
    if (event.type === "keydown" && event.key !== "Escape") return;
    this.node.classList.remove("shown");
  }
}
