/** A run in which there is nothing to replay says so, in place of the pictures. */

import { say } from "./dom.mjs";

/** Why a run that is over has nothing to show; empty where it has, or may still get, a step. */
export function nothingSentence({ steps, end, length }) {
  if (!end || steps.length) return "";
  return length
    ? "This run ended before its first step, so there is nothing to replay."
    : "This run has no positions: its length is 0, so there is nothing to replay.";
}

/** Show the sentence, or the pictures where there is none. */
export function drawNothing({ root, nothing }, recording) {
  const sentence = recording ? nothingSentence(recording) : "";
  root.classList.toggle("bb-empty-run", Boolean(sentence));
  nothing.hidden = !sentence;
  say(nothing, sentence);
}
