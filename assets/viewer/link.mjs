/**
 * Links to a place in a run: query parameters that name the run, what it is compared with, and what is looked at.
 *
 * A place is {step, event, branch, position, cell, fill}: the step from 0; how many of its happenings are shown, null for
 * the whole step; the cell of the cursor and whether it is in run "a" or "b"; what colour stands for.
 */

import { clamped } from "./compare.mjs";
import { FILLS } from "./fills.mjs";
import { happenings } from "./fold.mjs";

const RUN = /^[0-9a-f]{32}$/;
const FROM_0 = /^(0|[1-9]\d{0,5})$/;
const FROM_1 = /^[1-9]\d{0,5}$/;

/** What each parameter may be, and what the visitor is told that it must be. */
const FORMS = {
  run: [RUN, "the name of a run"],
  against: [RUN, "the name of a run"],
  step: [FROM_1, "a number from 1 on"],
  event: [FROM_1, "a number from 1 on"],
  branch: [FROM_1, "a block size"],
  position: [FROM_0, "a number from 0 on"],
  cell: [/^[ab]$/, "a or b"],
  fill: [new RegExp(`^(${Object.keys(FILLS).join("|")})$`), `one of ${Object.keys(FILLS).join(", ")}`],
};

/** The address that shows `runs` (names that the server gave, one or two) at `place`. All else in `page` is left out. */
export function linkTo(page, [run, against], { step, event, ...place }) {
  const link = new URL(page);
  link.search = link.hash = "";
  const parameters = { run, against, step: step + 1, event, ...place };
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== null) link.searchParams.set(name, value);
  return link.href;
}

/** What an address asks for: {runs, place}, or {problem} in one sentence, or null where it asks for no run. */
export function readLink(search) {
  const given = new URLSearchParams(search);
  const names = Object.keys(FORMS).filter((name) => given.has(name));
  if (!names.length) return null;
  for (const name of names) {
    const [form, meaning] = FORMS[name];
    if (given.getAll(name).length > 1 || !form.test(given.get(name)))
      return { problem: `This link cannot be followed: its ${name} is not ${meaning}. The page shows a run of its own.` };
  }
  if (!given.has("run")) return { problem: "This link names no run, so the page shows one of its own." };
  const number = (name, otherwise) => (given.has(name) ? Number(given.get(name)) : otherwise);
  return {
    runs: ["run", "against"].filter((name) => given.has(name)).map((name) => given.get(name)),
    place: {
      step: number("step", 1) - 1,
      event: number("event", null),
      branch: number("branch", null),
      position: number("position", null),
      cell: given.get("cell") ?? "a",
      fill: given.get("fill") ?? "confidence",
    },
  };
}

/** `place` as far as `recordings` (one or two) have it: {place, says}, the latter a sentence on what they have not. */
export function fit(place, recordings) {
  const says = [];
  const count = Math.max(...recordings.map(({ steps }) => steps.length));
  const step = Math.min(place.step, count - 1);
  if (step < place.step) says.push(`The link goes to step ${place.step + 1}, but there are ${count}: the last is shown.`);
  const cell = recordings.length > 1 ? place.cell : "a";
  const recording = recordings[cell === "b" ? 1 : 0];
  const own = clamped(recording, step);
  const event = place.event !== null && place.event <= eventsOf(recordings[0], step) ? place.event : null;
  const { branches } = recording.frame(own);
  const branch = branches.has(place.branch) ? place.branch : null;
  if (place.branch !== branch) says.push(`The link points at block ${place.branch}, which this run does not have here.`);
  const position = place.position === null ? null : Math.min(place.position, Math.max(recording.length - 1, 0));
  if (position !== place.position) says.push(`The link points at position ${place.position} of ${recording.length}.`);
  return { place: { ...place, step, event, branch, position, cell }, says: says[0] ?? "" };
}

function eventsOf({ steps }, step) {
  return step < steps.length ? happenings(steps[step]).length : 0;
}
