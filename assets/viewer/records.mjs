/**
 * Reading an append-only text of NDJSON lines.
 *
 * The page receives the whole text so far again and again, or of a long one its latest part behind a line that says
 * where it belongs (see `ui/window.py`); only what follows the part already read is parsed.
 */

const WINDOW = '{"type":"window"';

export class Tail {
  constructor() {
    this.text = "";
    this.read = 0;
  }

  /**
   * Take in the text so far.
   * @returns {{fresh: boolean, records: object[]}} fresh: the text does not continue the one before, so a reader
   *   starts over. A last line without its newline waits for the rest; so does a part that belongs further on.
   */
  feed(value) {
    const text = this.whole(value);
    if (text === null) return { fresh: false, records: [] };
    const fresh = !text.startsWith(this.text);
    if (fresh) this.read = 0;
    this.text = text;
    const end = text.lastIndexOf("\n") + 1;
    const lines = text.slice(this.read, end).split("\n");
    this.read = Math.max(this.read, end);
    return { fresh, records: lines.filter(Boolean).map((line) => JSON.parse(line)) };
  }

  /** The whole text that a value stands for; null where what comes before it is not known. */
  whole(value) {
    if (!value.startsWith(WINDOW)) return value;
    const end = value.indexOf("\n");
    const { from, after } = JSON.parse(value.slice(0, end));
    const known = this.text.slice(0, from);
    return known.length === from && known.endsWith(after) ? known + value.slice(end + 1) : null;
  }
}

/** The lines of the run itself, as a file that can be opened again: what the page adds is left out. */
export function traceLines(text) {
  const lines = text.split("\n").filter((line) => line && !line.startsWith('{"type":"session"'));
  return lines.map((line) => `${line}\n`).join("");
}
