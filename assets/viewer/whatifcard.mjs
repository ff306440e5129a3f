/** The card that asks what if: two thresholds to drag over a recorded step, and what would flip. */

import { el, enable, say } from "./dom.mjs";
import { limit } from "./sentences.mjs";
import { cellKey, flips, flipSentence, notFinal, obstacle } from "./whatif.mjs";

const FIELDS = { commit: "commit_threshold", merge: "merge_threshold" };
const KNOBS = Object.keys(FIELDS);

export class WhatIfCard {
  /** `changed()` is called when a threshold is dragged, `run()` when the step shall be taken anew. */
  constructor(parts, { changed, run }) {
    this.sliders = { commit: parts.whatCommit, merge: parts.whatMerge };
    this.outputs = { commit: parts.whatCommitValue, merge: parts.whatMergeValue };
    this.says = parts.whatSays;
    this.again = parts.whatReset;
    this.run = parts.runFrom;
    this.run.addEventListener("click", run);
    this.reset();
    for (const knob of KNOBS)
      this.sliders[knob].addEventListener("input", () => {
        this.asked[knob] = this.sliders[knob].valueAsNumber;
        changed();
      });
    this.again.addEventListener("click", () => {
      this.reset();
      changed();
    });
  }

  /** Ask nothing: the thresholds of the step shown. */
  reset() {
    this.asked = { commit: null, merge: null };
  }

  /** The thresholds that are asked for where they differ from those in force, by the names of their settings. */
  changes(config) {
    const asked = KNOBS.filter((knob) => this.asked[knob] !== null && this.asked[knob] !== config[FIELDS[knob]]);
    return Object.fromEntries(asked.map((knob) => [FIELDS[knob], this.asked[knob]]));
  }

  /** The cells to ring at step `n`: a map of `cellKey` to gain, wrong (a gain that the answer contradicts) or loss. */
  rings(recording, n) {
    const config = recording.frame(n).config;
    if (!Object.keys(this.changes(config)).length) return new Map();
    const { gained, lost, unmerged } = this.flips(recording, n, config);
    return new Map([
      ...gained.map((cell) => [cellKey(cell), "gain"]),
      ...notFinal(recording, gained).map((cell) => [cellKey(cell), "wrong"]),
      ...[...lost, ...unmerged].map((cell) => [cellKey(cell), "loss"]),
    ]);
  }

  /** The flips at step `n`, kept for as long as the same is asked: a picture needs them more than once. */
  flips(recording, n, config) {
    const { commit, merge } = this.thresholds(config);
    const key = [recording.key, n, commit, merge].join();
    if (key !== this.key) this.found = flips(recording, n, { commit, merge });
    this.key = key;
    return this.found;
  }

  thresholds(config) {
    return Object.fromEntries(KNOBS.map((knob) => [knob, this.asked[knob] ?? config[FIELDS[knob]]]));
  }

  draw(recording, n) {
    const config = recording.frame(n).config;
    const own = { commit: config.commit_threshold, merge: config.merge_threshold };
    for (const knob of KNOBS) this.drawKnob(knob, own[knob]);
    this.again.disabled = KNOBS.every((knob) => this.asked[knob] === null);
    say(this.says, this.sentence(recording, n, config, own));
  }

  /** Whether step `n` can be taken anew, live; `problem` says why no run can be started now, if so. */
  drawRun(recording, n, problem) {
    enable(this.run, problem || this.hindrance(recording, n));
  }

  hindrance(recording, n) {
    const { header } = recording;
    if (header.config.block_size) return `A run of ${header.decoder} has one fixed block size and cannot be forked`;
    if (!n) return "The first step has none before it to go on from; start a new run with these thresholds";
    if (!Object.keys(this.changes(recording.frame(n).config)).length) return "Drag a threshold first";
    return "";
  }

  drawKnob(knob, own) {
    const [slider, output] = [this.sliders[knob], this.outputs[knob]];
    slider.disabled = own === undefined;
    const value = this.asked[knob] ?? own ?? 0;
    slider.value = value;
    slider.style.setProperty("--done", `${100 * Math.min(value, 1)}%`);
    slider.style.setProperty("--from", own === undefined ? "0%" : `${100 * Math.min(own, 1) - 0.8}%`);
    slider.style.setProperty("--to", own === undefined ? "0%" : `${100 * Math.min(own, 1) + 0.8}%`);
    const was = value === own || own === undefined ? "" : `was ${limit(own)}`;
    output.replaceChildren(el("b", "", own === undefined ? "\u2013" : limit(value)), el("small", "", was));
    slider.setAttribute("aria-valuetext", `${limit(value)} ${was}`);
  }

  sentence(recording, n, config, own) {
    const problem = obstacle(recording, config);
    if (problem) return problem;
    if (!Object.keys(this.changes(config)).length)
      return "These are the step\u2019s own thresholds. Drag one to see which cells flip.";
    return flipSentence(recording, this.flips(recording, n, config), own, this.thresholds(config));
  }
}
