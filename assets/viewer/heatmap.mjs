/** Two confidence maps with one cursor: branch x position at this step, and step x position of one branch. */

import { palette, surface, widthOf } from "./dom.mjs";
import { pixelRow } from "./pixels.mjs";

const GUTTER = 34;
const AXIS = 16;
const HEIGHT = 132;

/** A map of rows over positions, drawn from one pixel a cell. */
class PixelMap {
  constructor(canvas, seek) {
    this.canvas = canvas;
    this.image = document.createElement("canvas");
    this.rows = 0;
    this.length = 0;
    this.restyle();
    const place = (event) => this.rows && event.buttons && seek(this.locate(event));
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      place(event);
    });
    canvas.addEventListener("pointermove", place);
  }

  restyle() {
    this.palette = palette(this.canvas);
  }

  /** {row, position} under the pointer, the nearest one outside. */
  locate(event) {
    const bounds = this.canvas.getBoundingClientRect();
    const across = (event.clientX - bounds.left - GUTTER) / (bounds.width - GUTTER);
    const down = (event.clientY - bounds.top) / (HEIGHT - AXIS);
    const within = (share, count) => Math.min(Math.max(Math.floor(share * count), 0), count - 1);
    return { row: within(down, this.rows), position: within(across, this.length) };
  }

  /** Draw `rows` (pixel rows) with a label beside each that has one; the same `key` stands for the same rows. */
  paint(rows, length, labels, key = null) {
    this.rows = rows.length;
    this.length = length;
    const width = widthOf(this.canvas.parentElement);
    const context = surface(this.canvas, width, HEIGHT);
    this.context = context;
    this.scale = (width - GUTTER) / length;
    this.rowHeight = (HEIGHT - AXIS) / rows.length;
    if (key === null || key !== this.key) this.fill(rows, length);
    this.key = key;
    this.drawImage(context, width);
    context.font = `10.5px ${this.palette.sans}`;
    context.fillStyle = this.palette.dim;
    context.textBaseline = "middle";
    this.drawLabels(context, labels);
  }

  fill(rows, length) {
    Object.assign(this.image, { width: length, height: rows.length });
    const pixels = new ImageData(length, rows.length);
    rows.forEach((row, index) => pixels.data.set(row, 4 * length * index));
    this.image.getContext("2d").putImageData(pixels, 0, 0);
  }

  drawImage(context, width) {
    context.fillStyle = this.palette.raise;
    context.fillRect(GUTTER, 0, width - GUTTER, HEIGHT - AXIS);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.image, GUTTER, 0, width - GUTTER, HEIGHT - AXIS);
  }

  drawLabels(context, labels) {
    context.textAlign = "right";
    labels.forEach(
      (text, row) => text && context.fillText(text, GUTTER - 6, Math.max((row + 0.5) * this.rowHeight, 6)),
    );
    context.textAlign = "left";
    const every = Math.max(32, 32 * Math.ceil(40 / (32 * this.scale)));
    for (let p = 0; p < this.length; p += every)
      context.fillText(String(p), GUTTER + p * this.scale, HEIGHT - AXIS / 2 + 2);
  }

  /** A line around what the cursor points at. */
  outline(x, y, width, height, colour) {
    this.context.strokeStyle = colour;
    this.context.lineWidth = 1.5;
    this.context.strokeRect(GUTTER + x + 0.75, y + 0.75, Math.max(width - 1.5, 2), Math.max(height - 1.5, 1));
  }

  separate() {
    this.context.fillStyle = this.palette.panel;
    for (let row = 1; row < this.rows; row += 1)
      this.context.fillRect(GUTTER, row * this.rowHeight - 0.5, this.length * this.scale, 1);
  }
}

/** Branch x position at the shown step. It is also the map of the grids: a box marks the part in view. */
export class BranchMap {
  constructor(canvas, pick) {
    this.map = new PixelMap(canvas, ({ row, position }) => pick(this.sizes[row], position));
  }

  draw({ recording, frame, cursor }, [first, last]) {
    const branches = frame.ordered;
    this.sizes = branches.map((branch) => branch.size);
    const { map } = this;
    map.paint(branches.map(pixelRow), recording.length, this.sizes.map(String));
    map.separate();
    map.outline(first * map.scale, 0, (last - first) * map.scale, HEIGHT - AXIS, map.palette.accent);
    const row = this.sizes.indexOf(cursor.branch);
    if (row >= 0)
      map.outline(cursor.position * map.scale, row * map.rowHeight, map.scale, map.rowHeight, map.palette.focus);
  }
}

/** Step x position of the cursor's branch over the whole run. */
export class HistoryMap {
  constructor(canvas, pick) {
    this.map = new PixelMap(canvas, ({ row, position }) => pick(row, position));
  }

  draw({ recording, frame, cursor }) {
    const { steps, history, length } = recording;
    const empty = new Uint8ClampedArray(4 * length);
    const rows = history.map((pixels) => pixels.get(cursor.branch) ?? empty);
    const every = Math.ceil((20 * rows.length) / (HEIGHT - AXIS));
    const labels = rows.map((_, step) => (step % every ? "" : String(step + 1)));
    this.map.paint(rows, length, labels, `${recording.header.run} ${steps.length} ${cursor.branch}`);
    this.drawCursor(frame.step, cursor.position);
  }

  drawCursor(step, position) {
    const { map } = this;
    const below = (step + 1) * map.rowHeight;
    map.context.fillStyle = map.palette.panel;
    map.context.globalAlpha = 0.6;
    map.context.fillRect(GUTTER, below, map.length * map.scale, HEIGHT - AXIS - below);
    map.context.globalAlpha = 1;
    map.outline(0, step * map.rowHeight, map.length * map.scale, map.rowHeight, map.palette.accent);
    map.outline(position * map.scale, step * map.rowHeight, map.scale, map.rowHeight, map.palette.focus);
  }
}
