/**
 * A strip of all positions and branches above the grids, with a frame around the part in view that can be dragged; and
 * the zoom of the grids.
 */

import { palette, say, surface, widthOf } from "./dom.mjs";
import { firstAfter, firstAround, frameOn } from "./zoom.mjs";
import { wireZoom } from "./zooming.mjs";

const TOP = 7; // room for the marks of the cursor and of the parting
const HEIGHT = 36;
const SEAM = 1;

export class Minimap {
  /** `grid` is the grid that it pans and zooms; `changed()` is called when it has. */
  constructor(parts, grid, changed) {
    const { minimap: node, minimapCanvas: canvas, minimapSays: says, minimapOf: of } = parts;
    Object.assign(this, { node, canvas, says, of, grid, changed });
    this.restyle();
    wireZoom(parts, [parts.scroll, parts.scrollB, node], grid, changed);
    canvas.addEventListener("pointerdown", (event) => this.grab(event));
    canvas.addEventListener("pointermove", (event) => event.buttons && this.drag(event));
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  restyle() {
    this.palette = palette(this.canvas);
  }

  /** A press inside the frame takes hold of it; one outside brings its middle there first. */
  grab(event) {
    this.canvas.setPointerCapture(event.pointerId);
    const [first, last] = this.grid.view;
    const position = this.positionAt(event);
    this.hold = position >= first && position < last ? position - (first + last) / 2 : 0;
    this.drag(event);
  }

  drag(event) {
    const [first, last] = this.grid.view;
    this.pan(firstAround(this.positionAt(event) - this.hold, last - first, this.length));
  }

  key(event) {
    if (this.move(event.key)) event.preventDefault();
  }

  /** Go on by most of a view, to the right (1) or the left (-1). */
  page(direction) {
    this.move(direction > 0 ? "PageDown" : "PageUp");
  }

  /** Pan as a key asks; whether it means anything here. */
  move(key) {
    const first = firstAfter(key, this.grid.view, this.length);
    if (first !== null) this.pan(first);
    return first !== null;
  }

  pan(first) {
    this.grid.pan(first);
    this.changed();
  }

  /** Zoom one stop in (1) or out (-1). */
  zoom(direction) {
    this.grid.zoomStep(direction);
    this.changed();
  }

  get length() {
    return this.grid.columns.length;
  }

  positionAt(event) {
    const bounds = this.canvas.getBoundingClientRect();
    return ((event.clientX - bounds.left) / bounds.width) * this.length;
  }

  /** Draw what the grid shows of a view; hidden where all of it is in view at its full size. */
  draw({ cursor, parting }) {
    const { grid } = this;
    this.node.hidden = !grid.overflows && grid.zoom === Infinity;
    if (this.node.hidden) return;
    const width = widthOf(this.canvas.parentElement);
    const context = surface(this.canvas, width, HEIGHT);
    this.drawStrips(context, width);
    this.drawFrame(context, frameOn(grid.view, this.length, width), width);
    this.drawMark(context, cursor.position, this.palette.focus, width);
    if (parting !== undefined) this.drawMark(context, parting, this.palette.sync, width, "\u2260");
    this.tell(grid.view);
  }

  drawStrips(context, width) {
    const { rows, strips } = this.grid;
    const pitch = (HEIGHT - TOP) / rows.length;
    context.fillStyle = this.palette.raise;
    context.fillRect(0, TOP, width, HEIGHT - TOP);
    rows.forEach((branch, row) => {
      const { length } = branch.token;
      strips.draw(context, row, [0, length], 0, TOP + row * pitch, (width * length) / this.length, pitch - SEAM);
    });
  }

  /** The part in view stands out by its frame, and by what is outside it being pale. */
  drawFrame(context, { left, width }, room) {
    context.fillStyle = this.palette.panel;
    context.globalAlpha = 0.55;
    context.fillRect(0, TOP, left, HEIGHT - TOP);
    context.fillRect(left + width, TOP, room - left - width, HEIGHT - TOP);
    context.globalAlpha = 1;
    context.strokeStyle = this.palette.accent;
    context.lineWidth = 2;
    context.beginPath();
    context.roundRect(left + 1, TOP, width - 2, HEIGHT - TOP - 1, 3);
    context.stroke();
  }

  /** A line through all branches with a head above, or a sign instead of the head. */
  drawMark(context, position, colour, room, sign = "") {
    const x = Math.min(Math.max(((position + 0.5) * room) / this.length, 4), room - 4);
    context.fillStyle = colour;
    context.fillRect(x - 0.75, TOP - 1, 1.5, HEIGHT - TOP + 1);
    if (sign) {
      context.font = `bold 11px ${this.palette.sans}`;
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.fillText(sign, x, 4);
      return;
    }
    context.beginPath();
    context.moveTo(x - 4, 0);
    context.lineTo(x + 4, 0);
    context.lineTo(x, TOP);
    context.fill();
  }

  tell([first, last]) {
    const { canvas, length } = this;
    say(this.says, `${first}\u2013${last - 1}`);
    say(this.of, `of ${length}`);
    canvas.setAttribute("aria-valuemax", Math.max(length - (last - first), 0));
    canvas.setAttribute("aria-valuenow", first);
    canvas.setAttribute("aria-valuetext", `positions ${first} to ${last - 1} of ${length} in view`);
  }
}
