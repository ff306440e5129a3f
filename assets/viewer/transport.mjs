/** The transport: buttons, scrubber, and the sentence that tells the step or the event shown. */

import { drawLoop } from "./controls.mjs";
import { say } from "./dom.mjs";
import { happeningSentence, stepSentence } from "./sentences.mjs";

export function drawTransport(parts, { recording, player, live, follow }) {
  const { root, scrub, count, play, follow: following, download } = parts;
  root.classList.toggle("playing", player.playing);
  play.setAttribute("aria-label", player.playing ? "Pause" : "Play");
  following.setAttribute("aria-pressed", String(follow));
  download.disabled = !recording.end;
  scrub.max = player.count - 1;
  scrub.value = player.step;
  scrub.style.setProperty("--done", `${player.count > 1 ? (100 * player.step) / (player.count - 1) : 100}%`);
  scrub.setAttribute("aria-valuetext", `step ${player.step + 1} of ${player.count}`);
  say(count, `step ${player.step + 1} of ${player.count}`);
  drawSentence(parts.sentence, recording, player, live);
  drawLoop(parts, player);
}

/** A run that is over by the step shown says so. */
export function drawSentence(sentence, recording, { step, until, playing }, live) {
  sentence.setAttribute("aria-live", playing || live ? "off" : "polite");
  say(sentence, sentenceAt(recording, step, until));
}

function sentenceAt(recording, step, until) {
  const { steps } = recording;
  if (step >= steps.length) return `This run ended with step ${steps.length}: ${stepSentence(steps.at(-1))}`;
  return until === null ? stepSentence(steps[step]) : happeningSentence(recording, steps[step], until);
}
