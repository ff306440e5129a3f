/** The token grids: a row per branch, a column per position, only what is in view drawn. */

import { box, CELL, CellPainter } from "./cells.mjs";
import { Columns } from "./columns.mjs";
import { calm, el, icon, palette, say, surface, widthOf } from "./dom.mjs";
import { visible } from "./pieces.mjs";
import { Strips } from "./strips.mjs";
import { cellKey } from "./whatif.mjs";
import { labelEvery, scaled, SHAPE_FROM, stepped } from "./zoom.mjs";

export const ROW = CELL + 12;
export const AXIS = 20;
const STAR = "M5 .3 6.4 3.5 9.8 3.8 7.2 6.1 8 9.5 5 7.7 2 9.5 2.8 6.1 .2 3.8 3.6 3.5z";

export class Grid {
  /** `pick(branch, position)` is called for a clicked cell, `scrolled()` when the visitor scrolls. */
  constructor({ scroll, spacer, canvas, labels }, { pick, scrolled }) {
    Object.assign(this, { scroll, spacer, canvas, labels, pick });
    this.follow = true;
    this.recordings = [];
    this.zoom = Infinity;
    this.strips = new Strips();
    this.restyle();
    scroll.addEventListener("scroll", scrolled, { passive: true });
    for (const type of ["wheel", "touchstart", "pointerdown"]) {
      scroll.addEventListener(type, (event) => this.takeOver(event, scrolled), { passive: true });
    }
    canvas.addEventListener("click", (event) => this.click(event));
  }

  /** Read the theme's colours again. */
  restyle() {
    this.palette = palette(this.scroll);
    this.painter = new CellPainter(this.palette);
    this.context = this.canvas.getContext("2d");
  }

  /** A visitor who scrolls sideways keeps the place they chose. */
  takeOver(event, scrolled) {
    if (event.type === "wheel" && Math.abs(event.deltaX) <= Math.abs(event.deltaY) && !event.shiftKey) return;
    if (event.target === this.canvas && event.type === "pointerdown") return;
    this.follow = false;
    scrolled();
  }

  click(event) {
    if (!this.columns) return;
    const bounds = this.canvas.getBoundingClientRect();
    const row = Math.floor((event.clientY - bounds.top - AXIS) / ROW);
    const branch = this.rows?.[row];
    const position = this.columns.at(event.clientX - bounds.left + this.scroll.scrollLeft);
    if (branch) this.pick(branch.size, Math.min(position, branch.token.length - 1));
  }

  /** Make room for the tokens of the steps of `recordings` that have not been measured yet. */
  measure(recordings) {
    const same = (run, index) => run === this.recordings[index];
    if (recordings.length !== this.recordings.length || !recordings.every(same)) {
      this.recordings = recordings;
      this.columns = new Columns(Math.max(...recordings.map((recording) => recording.length)), this.zoom);
      this.measured = recordings.map(() => 0);
    }
    const moved = recordings.map((recording, index) => this.measureRun(recording, index));
    if (moved.some(Boolean)) this.columns.place();
    this.look();
  }

  /** Read where the view is. Once a picture, before anything is written: each later reading would lay the page out. */
  look() {
    this.left = this.scroll.scrollLeft;
    this.room = widthOf(this.scroll);
  }

  measureRun(recording, index) {
    let moved = false;
    for (; this.measured[index] < recording.steps.length; this.measured[index] += 1) {
      for (const event of recording.steps[this.measured[index]].events) {
        if (event.token === undefined || event.token === recording.header.eos_id) continue;
        const wanted = this.painter.wanted(this.context, visible(recording.text(event.token)));
        moved = this.columns.widen(event.position, wanted) || moved;
      }
    }
    return moved;
  }

  /** Zoom one stop in (1) or out (-1), or by a factor; what stands at `x` pixels of the view stays there. */
  zoomStep(direction, x) {
    this.zoomTo(stepped(this.zoom, direction, this.columns.length, this.room), x);
  }

  zoomBy(factor, x) {
    this.zoomTo(scaled(this.zoom, factor, this.columns.length, this.room), x);
  }

  zoomTo(zoom, x = this.room / 2) {
    const place = this.columns.placeOf(this.scroll.scrollLeft + x);
    this.zoom = this.columns.zoom = zoom;
    this.columns.place();
    this.makeRoom();
    this.scroll.scrollLeft = this.columns.xOf(place) - x;
    this.look();
  }

  makeRoom() {
    this.spacer.style.width = `${this.columns.total + 2}px`;
  }

  /** Whether not all positions are in view at once. */
  get overflows() {
    return this.columns.total > this.room;
  }

  /** Bring the position `first` to the left edge. */
  pan(first) {
    this.follow = false;
    this.scroll.scrollLeft = this.columns.lefts[first];
    this.look();
  }

  /** Draw a view; its `rows` are the branches to show where not all are. */
  draw(shown) {
    const { frame, cursor } = shown;
    this.rows = shown.rows ?? frame.ordered;
    const view = { ...shown, branches: frame.ordered };
    const height = AXIS + this.rows.length * ROW;
    this.makeRoom();
    this.spacer.style.height = `${height}px`;
    const { left, room: width } = this;
    const context = surface(this.canvas, width, height);
    this.context = context;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.translate(-left, 0);
    const range = this.columns.visible(left, left + width);
    this.drawAxis(context, range, cursor, view.parting);
    this.strips.paint(view, this.rows);
    this.rows.forEach((branch, row) => this.drawRow(context, view, branch, AXIS + row * ROW + 6, range));
    this.drawLabels(frame, cursor);
  }

  drawAxis(context, [first, last], cursor, parting) {
    const { lefts, widths } = this.columns;
    const every = labelEvery((lefts[last] - lefts[first]) / (last - first));
    context.font = `10.5px ${this.palette.sans}`;
    for (let p = first; p < last; p += 1) {
      const current = p === cursor.position;
      if (p % every && !current && p !== parting) continue;
      context.fillStyle = current ? this.palette.focus : p === parting ? this.palette.sync : this.palette.dim;
      context.fillText(p === parting ? `\u2260${p}` : String(p), lefts[p] + widths[p] / 2, AXIS / 2);
    }
    if (cursor.position < first || cursor.position >= last) return;
    context.fillStyle = this.palette.focus;
    context.globalAlpha = 0.1;
    context.fillRect(lefts[cursor.position] - 2, AXIS - 2, widths[cursor.position] + 4, this.rows.length * ROW);
    context.globalAlpha = 1;
  }

  drawRow(context, view, branch, y, range) {
    const [first, last] = [range[0], Math.min(range[1], branch.token.length)];
    if (last <= first) return;
    const { lefts, widths } = this.columns;
    if (widths[first] < SHAPE_FROM) this.drawStrip(context, branch, y, [first, last]);
    else this.drawCells(context, view, branch, y, [first, last]);
    for (let p = first; p < last; p += 1) {
      const ring = view.rings.get(cellKey({ branch: branch.size, position: p }));
      if (ring) this.painter.drawRing(context, ring, lefts[p], y, widths[p]);
    }
    this.drawWindow(context, branch, y);
    if (branch.size === view.cursor.branch) this.drawCursor(context, view.cursor.position, y, [first, last]);
  }

  drawCells(context, view, branch, y, [first, last]) {
    const { lefts, widths, gap } = this.columns;
    for (let p = first; p < last; p += 1) {
      if (p && p % branch.size === 0) this.drawBorder(context, lefts[p] - gap / 2, y);
      this.painter.draw(context, view, branch, p, lefts[p], y, widths[p]);
    }
  }

  /** Cells that are only their colour. */
  drawStrip(context, branch, y, [first, last]) {
    const { lefts } = this.columns;
    this.strips.draw(context, this.rows.indexOf(branch), [first, last], lefts[first], y, lefts[last] - lefts[first], CELL);
    for (let p = first + branch.size - (first % branch.size); p < last; p += branch.size)
      if (branch.size * this.columns.zoom > 6) this.drawBorder(context, lefts[p], y);
  }

  drawCursor(context, position, y, [first, last]) {
    if (position < first || position >= last) return;
    const { lefts, widths } = this.columns;
    box(context, lefts[position] - 2, y - 2, widths[position] + 4, CELL + 4, 7);
    context.strokeStyle = this.palette.focus;
    context.lineWidth = 2.5;
    context.stroke();
  }

  drawBorder(context, x, y) {
    context.fillStyle = this.palette.dim;
    context.fillRect(x - 0.5, y - 5, 1, 4);
    context.fillRect(x - 0.5, y + CELL + 1, 1, 4);
  }

  drawWindow(context, branch, y) {
    const [start, end] = branch.window;
    if (end <= start) return;
    const left = this.columns.lefts[start];
    box(context, left - 2.5, y - 3.5, this.columns.lefts[end] - this.columns.gap - left + 5, CELL + 7, 7);
    context.strokeStyle = this.palette.accent;
    context.lineWidth = 1.5;
    context.stroke();
  }

  drawLabels(frame, cursor) {
    const leader = frame.leader;
    while (this.labels.children.length > this.rows.length) this.labels.lastChild.remove();
    while (this.labels.children.length < this.rows.length) this.labels.append(this.newLabel());
    this.rows.forEach((branch, row) => {
      const label = this.labels.children[row];
      const leads = branch === leader && this.rows.length > 1;
      label.dataset.branch = branch.size;
      label.classList.toggle("leads", leads);
      label.setAttribute("aria-pressed", String(branch.size === cursor.branch));
      say(label.querySelector(".bb-unseen"), leads ? "leader" : "");
      say(label.querySelector("b"), `block ${branch.size}`);
      say(label.querySelector("small"), branch.done ? `${branch.decoded}, done` : `${branch.decoded} decoded`);
    });
  }

  newLabel() {
    const label = el("button", "bb-label");
    label.type = "button";
    const name = el("span");
    name.append(el("b"), icon(STAR, "bb-star"), el("span", "bb-unseen"));
    label.append(name, el("small"));
    label.addEventListener("click", () => this.pick(Number(label.dataset.branch), null));
    return label;
  }

  /** Bring a position into view if it is not; used for the place where decoding goes on and for the cursor. */
  show(position, eager = false) {
    const { lefts, widths, total } = this.columns ?? new Columns(0);
    const { left, room: width } = this;
    if (total <= width || position >= widths.length) return;
    const [start, end] = [lefts[position] - left, lefts[position] + widths[position] - left];
    const comfortable = eager ? start >= 0 && start < 0.6 * width : start >= 0 && end <= width;
    if (comfortable) return;
    const target = Math.max(lefts[position] - 0.12 * width, 0);
    const near = Math.abs(target - left) < 1.5 * width;
    this.makeRoom();
    this.scroll.scrollTo({ left: target, behavior: near && !calm() ? "smooth" : "auto" });
    this.look();
  }

  /** The positions in view: [first, last + 1). */
  get view() {
    return this.columns.visible(this.left, this.left + this.room);
  }
}
