/** What the page opens with: the runs of a saved page, those of a link, or what the server shows anyway. */

import { say } from "./dom.mjs";
import { fit, readLink } from "./link.mjs";

const SILENT = "The server does not answer; try again in a moment.";

/** `saved`: {runs, place} of a saved page, or nothing; `search`: the address' parameters; `feed()` shows the server's. */
export async function open(viewer, { saved, search, server, feed }) {
  const notice = new Notice(viewer.parts);
  if (saved) return show(viewer, notice, saved);
  const link = readLink(search);
  if (!link) return feed();
  notice.tell("Opening the linked run\u2026");
  const found = link.problem ? link : await ask(server, "fetch_runs", link.runs);
  if (viewer.recording) return notice.tell(""); // something else was run or opened meanwhile
  if (!found.problem) return show(viewer, notice, { runs: found.runs, place: link.place });
  feed();
  notice.tell(found.problem);
}

/** Show one or two runs, {text, name} each, at a place. */
function show(viewer, notice, { runs, place }) {
  runs.forEach(({ text, name }, number) => {
    if (number) viewer.pin();
    viewer.feed(`${JSON.stringify({ type: "session", status: "recorded", name, number })}\n${text}`);
  });
  const recordings = runs.length > 1 ? [viewer.runs.shown, viewer.runs.beneath] : [viewer.runs.shown];
  const { place: fitting, says } = place ? fit(place, recordings.map((run) => run.recording)) : { says: "" };
  if (fitting) goTo(viewer, fitting);
  notice.tell(says);
}

/** Where the viewer is, as link.mjs says. */
export function placeOf({ player, cursor, fill }) {
  const { step, until: event } = player;
  return { step, event, branch: cursor.branch, position: cursor.position, cell: cursor.run, fill: fill.value };
}

function goTo(viewer, { step, event, branch, position, cell, fill }) {
  viewer.seek(step);
  if (event !== null) viewer.player.stopAt({ step, until: event });
  viewer.fill.value = fill;
  viewer.reveal = false;
  viewer.pick(branch ?? viewer.cursor.branch, position, cell);
  requestAnimationFrame(() => viewer.grid.show(viewer.cursor.position)); // once the columns have been measured
}

/** Call a function of the server; {problem} where it cannot or will not. */
export async function ask(server, name, asked) {
  try {
    return (await server?.[name]?.(asked)) ?? { problem: SILENT };
  } catch {
    return { problem: SILENT };
  }
}

/** The line above the replay that tells what became of a link. */
class Notice {
  constructor({ notice, noticeSays, noticeClose }) {
    Object.assign(this, { box: notice, text: noticeSays });
    noticeClose.addEventListener("click", () => this.tell(""));
  }

  tell(sentence) {
    this.box.hidden = !sentence;
    say(this.text, sentence);
  }
}
