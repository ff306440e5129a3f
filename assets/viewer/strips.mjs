/** All cells of a run as pixels in the colours of the fill: one row a branch, one pixel a position. */

import { FILLS } from "./fills.mjs";
import { MASKED } from "./fold.mjs";

const DRAFT_ALPHA = 110;
const UNKNOWN = [128, 128, 128]; // a cell of which the fill says nothing
const UNKNOWN_ALPHA = 60;

/** A branch's row of pixels: written tokens solid, drafts faint, cells that no forward has seen clear. */
export function stripRow({ fill, recording, branches }, branch) {
  const { draft, written } = FILLS[fill];
  const row = new Uint8ClampedArray(4 * branch.token.length);
  const cell = { branch, branches, count: recording.steps.length, position: 0 };
  for (let p = 0; p < branch.token.length; p += 1) {
    cell.position = p;
    const masked = branch.token[p] === MASKED;
    if (masked && branch.draft[p] === MASKED) continue;
    const colour = (masked ? draft(cell) : written(cell))?.colour;
    put(row, p, colour ?? UNKNOWN, !colour ? UNKNOWN_ALPHA : masked ? DRAFT_ALPHA : 255);
  }
  return row;
}

function put(row, position, [red, green, blue], alpha) {
  row[4 * position] = red;
  row[4 * position + 1] = green;
  row[4 * position + 2] = blue;
  row[4 * position + 3] = alpha;
}

/** Keeps the strips of one run as a picture, made anew only when it is drawn from something else. */
export class Strips {
  constructor() {
    this.canvas = document.createElement("canvas");
  }

  /** Paint a view's `rows`; `view.branches` are all its branches. */
  paint(view, rows) {
    const width = Math.max(...rows.map((branch) => branch.token.length));
    const pixels = new ImageData(width, rows.length);
    rows.forEach((branch, row) => pixels.data.set(stripRow(view, branch), 4 * width * row));
    Object.assign(this.canvas, { width, height: rows.length });
    this.canvas.getContext("2d").putImageData(pixels, 0, 0);
  }

  /** Draw row number `row`'s positions [first, last) into a box. */
  draw(context, row, [first, last], x, y, width, height) {
    context.imageSmoothingEnabled = width < last - first;
    context.drawImage(this.canvas, first, row, last - first, 1, x, y, width, height);
  }
}
