/** Files that the page gives to save: their names, and the page that replays runs without a server. */

import { el } from "./dom.mjs";

const SLOT = 'id="bb-runs">null<'; // the first one: this line stands in the page, too

/** What a file about `runs` is called, without its ending. */
export function fileName(runs) {
  const ids = runs.map(({ recording }) => String(recording.header.run).replace(/[^\w-]/g, ""));
  return `blockbatch-${ids.map((id) => id.slice(0, 40 / ids.length)).join("-")}`;
}

/** Save a text or a blob as a file. */
export function saveFile(content, type, name) {
  const link = el("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** The server's empty page with `data` in it. */
export function filled(page, data) {
  return page.replace(SLOT, () => SLOT.replace("null", () => inert(data)));
}

/** `data` as JSON that cannot end the script element it stands in. */
function inert(data) {
  return JSON.stringify(data).replaceAll("<", "\\u003c");
}
