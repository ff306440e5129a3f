/** The menu that shares what is shown: a link to it, and files in several formats. */

import { enable, say } from "./dom.mjs";
import { linkTo } from "./link.mjs";
import { ask, placeOf } from "./opening.mjs";
import { picture } from "./picture.mjs";
import { fileOf } from "./runs.mjs";
import { fileName, filled, saveFile } from "./saving.mjs";

const GOING_ON = "A run that is still going on cannot be shared; wait until it has ended, or stop it.";
const PART = "A run without its end, such as one that was pinned while it went on, cannot be shared; unpin it first.";
const SAVED = "This is a saved page. For a link or a Chrome trace save the trace and open it in the explorer.";
const MEGABYTE = 1e6;

export class Share {
  /**
   * `server` holds the functions of the server, null on a saved page. Of the viewer's props `page_bytes` is the size of a
   * page without runs, and `keeping` a sentence on which runs the server keeps.
   */
  constructor(viewer, server, { page_bytes: pageBytes = 0, keeping = "" }) {
    Object.assign(this, { viewer, server, pageBytes, parts: viewer.parts });
    say(this.parts.shareKeeps, server ? keeping : "");
    const acts = { copyLink: "link", savePage: "page", savePicture: "picture", saveChrome: "chrome" };
    for (const [part, act] of Object.entries(acts))
      this.parts[part].addEventListener("click", async () => this.tell(await this[act]()));
    const { share } = this.parts;
    share.addEventListener("toggle", () => this.opened());
    document.addEventListener("pointerdown", ({ target }) => share.contains(target) || share.removeAttribute("open"));
    share.addEventListener("keydown", ({ key }) => key === "Escape" && this.close());
  }

  /** The one or two runs on screen. */
  get runs() {
    return [this.viewer.runs.shown, this.viewer.runs.beneath].filter(Boolean);
  }

  get problem() {
    return unshared(this.runs, this.viewer.runs.live);
  }

  opened() {
    this.parts.link.hidden = true;
    this.told = "";
    this.draw();
  }

  close() {
    this.parts.share.removeAttribute("open");
    this.parts.share.querySelector("summary").focus();
  }

  tell(sentence) {
    this.told = sentence;
    this.draw();
  }

  draw() {
    if (!this.parts.share.open || !this.viewer.recording) return;
    const here = this.server ? "" : SAVED;
    for (const part of ["copyLink", "savePage", "saveChrome"]) enable(this.parts[part], here || this.problem);
    const bytes = this.runs.reduce((sum, { text }) => sum + text.length, this.pageBytes);
    say(this.parts.pageSize, this.server ? `about ${(bytes / MEGABYTE).toFixed(1)} MB` : "this file is one");
    say(this.parts.traceOf, this.runs.length > 1 ? "run A; run B has a button of its own" : "opens here again");
    say(this.parts.shareSays, this.told || this.problem || here);
  }

  async link() {
    const place = placeOf(this.viewer);
    const kept = await ask(this.server, "keep_runs", this.runs.map(fileOf));
    if (kept.problem) return kept.problem;
    const { link: field } = this.parts;
    field.hidden = false;
    field.value = linkTo(window.location.href, kept.runs, place);
    field.focus();
    field.select();
    return `${(await copied(field.value)) ? "Link copied." : "The link is selected, ready to be copied."} ${kept.says}`;
  }

  async page() {
    const runs = this.runs.map((run) => ({ text: fileOf(run), name: run.name ?? "" }));
    const place = placeOf(this.viewer);
    const empty = await ask(this.server, "empty_page", []);
    if (empty.problem) return empty.problem;
    saveFile(filled(empty.text, { runs, place }), "text/html", `${fileName(this.runs)}.html`);
    return "Saved: a double click on the file replays it, without a network.";
  }

  async picture() {
    const blob = await new Promise((take) => picture(this.viewer).toBlob(take, "image/png"));
    if (!blob) return "The picture is too large for this browser; make the window smaller.";
    saveFile(blob, "image/png", `${fileName(this.runs)}-step-${this.viewer.player.step + 1}.png`);
    return "Saved: the token grids as they are on screen.";
  }

  async chrome() {
    const trace = await ask(this.server, "chrome_trace", this.runs.map(fileOf));
    if (trace.problem) return trace.problem;
    saveFile(trace.text, "application/json", `${fileName(this.runs)}.chrome.json`);
    return "Saved: open the file in Perfetto or chrome://tracing.";
  }
}

/** Why `runs` cannot be shared, empty where they can; `live`: more steps of the latest are still to come. */
export function unshared(runs, live) {
  if (runs.every(({ recording }) => recording.end)) return "";
  return live ? GOING_ON : PART;
}

/** Put a text on the clipboard; false where the browser does not let the page. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
