/** What the panels of run A and run B are drawn from. */

import { frameBeneath } from "./beneath.mjs";
import { MASKED } from "./fold.mjs";
import { nameOf } from "./runs.mjs";

/**
 * [view of A, view of B or null], each {recording, frame, rings, live, cursor, title, two, player, fill,
 * parting}. `frame` is A's; `asked` the rings of A's what-if.
 */
export function viewsOf({ runs, comparison, player, cursor, fill }, frame, asked) {
  const { shown, beneath, live, shownLive } = runs;
  const below = beneath?.recording.steps.length ? frameBeneath(beneath.recording, player.step) : null;
  const two = Boolean(below && comparison);
  const [left, right] = two ? comparison.rings(frame, below) : [new Map(), null];
  const shared = { player, fill: fill.value, two };
  if (two) shared.parting = comparison.parting?.position;
  const own = (name, run) => ({
    title: `${name.toUpperCase()} \u00b7 ${nameOf(run)}`,
    cursor: cursorIn(name, cursor, two),
    recording: run.recording,
  });
  const rings = new Map([...left, ...asked]);
  const a = { ...shared, ...own("a", shown), frame, rings, live: shownLive };
  if (!two) return [a, null];
  return [a, { ...shared, ...own("b", beneath), frame: below, rings: right, live }];
}

/** The cursor as a run sees it: in the other run it stands at a position, but on no branch. */
function cursorIn(run, cursor, two) {
  return !two || cursor.run === run ? cursor : { ...cursor, branch: null };
}

/** The position where decoding goes on: a little before the leader's first masked one. */
export function workPlace({ leader }) {
  const first = leader.token.indexOf(MASKED);
  return Math.max((first < 0 ? leader.token.length : first) - 3, 0);
}
