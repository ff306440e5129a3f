/** Drawing one cell of a token grid: masked, draft, committed, committed by consensus, or copied by a reset. */

import { css, inkOn } from "./colors.mjs";
import { FILLS } from "./fills.mjs";
import { HOW, MASKED } from "./fold.mjs";
import { visible } from "./pieces.mjs";
import { drawShape } from "./shapes.mjs";
import { TEXT_FROM } from "./zoom.mjs";

export const CELL = 30;
const RADIUS = 5;
const PADDING = 5;
const RINGS = {
  differs: { colour: "sync", dash: [], sign: "" },
  first: { colour: "sync", dash: [], sign: "\u2260" },
  gain: { colour: "eos", dash: [], sign: "+" },
  wrong: { colour: "eos", dash: [], sign: "!" },
  loss: { colour: "refresh", dash: [5, 3], sign: "\u2212" },
  asked: { colour: "focus", dash: [], sign: "?" },
  told: { colour: "focus", dash: [], sign: "" },
};

/** Draws cells into a context; remembers how pieces were shortened to fit. */
export class CellPainter {
  constructor(palette) {
    this.palette = palette;
    this.font = `12px ${palette.mono}`;
    this.shortened = new Map();
    this.inks = new Map();
  }

  /** Draw `branch`'s cell at `position` in the box (x, y, width), filled as the view's `fill` says. */
  draw(context, view, branch, position, x, y, width) {
    const cell = { branch, position, branches: view.branches, count: view.recording.steps.length };
    const { draft, written } = FILLS[view.fill];
    if (branch.token[position] === MASKED)
      this.drawMasked(context, view, branch, position, draft(cell), x, y, width);
    else this.drawWritten(context, view, branch, position, written(cell), x, y, width);
  }

  drawMasked(context, { recording }, branch, position, fill, x, y, width) {
    const inside = position >= branch.window[0] && position < branch.window[1];
    box(context, x + 0.5, y + 0.5, width - 1, CELL - 1);
    context.strokeStyle = inside ? this.palette.dim : this.palette.line;
    context.lineWidth = 1;
    if (!inside) context.setLineDash([2, 3]);
    context.stroke();
    if (!inside) context.setLineDash([]);
    if (branch.draft[position] === MASKED) return;
    if (width < TEXT_FROM) {
      this.drawFaint(context, fill);
      return;
    }
    context.globalAlpha = inside ? 1 : 0.55;
    this.drawToken(context, recording, branch.draft[position], x, y - (fill ? 1 : 0), width, this.palette.faint);
    if (fill) this.drawBar(context, fill.bar, this.palette.line, css(fill.colour), x, y, width);
    context.globalAlpha = 1;
  }

  /** A draft in a cell too narrow for text: its colour, faint, in the outline that was just drawn. */
  drawFaint(context, fill) {
    context.fillStyle = fill ? css(fill.colour) : this.palette.line;
    context.globalAlpha = 0.45;
    context.fill();
    context.globalAlpha = 1;
  }

  drawWritten(context, { recording, frame }, branch, position, { colour, bar = null }, x, y, width) {
    box(context, x, y, width, CELL);
    context.fillStyle = colour ? css(colour) : this.palette.raise;
    context.fill();
    const ink = colour ? inkOn(colour) : this.palette.ink;
    this.drawToken(context, recording, branch.token[position], x, y, width, ink);
    if (bar !== null) this.drawBar(context, bar, this.palette.panel, ink, x, y, width);
    const how = branch.how[position];
    if (how === HOW.merge) this.drawMark(context, "merge", x, y, width);
    if (how === HOW.copy) this.drawMark(context, "sync", x, y, width);
    if (branch.since[position] === frame.step) this.drawNew(context, x, y, width);
  }

  /** A share of 1 at the foot of a cell. */
  drawBar(context, share, back, colour, x, y, width) {
    if (width < TEXT_FROM) return;
    context.fillStyle = back;
    context.fillRect(x + 4, y + CELL - 6, width - 8, 3);
    context.fillStyle = colour;
    context.fillRect(x + 4, y + CELL - 6, Math.max((width - 8) * share, 1), 3);
  }

  drawNew(context, x, y, width) {
    box(context, x + 1, y + 1, width - 2, CELL - 2);
    const slim = width < TEXT_FROM;
    context.strokeStyle = this.palette.panel;
    context.lineWidth = slim ? 2.5 : 4;
    context.stroke();
    context.strokeStyle = this.palette.ink;
    context.lineWidth = slim ? 1.25 : 2;
    context.stroke();
  }

  /** A ring with a sign in its corner, as the legends of the what-if card and of run B explain them. */
  drawRing(context, ring, x, y, width) {
    const { colour, dash, sign } = RINGS[ring];
    box(context, x - 1, y - 1, width + 2, CELL + 2, RADIUS + 1);
    context.strokeStyle = this.palette[colour];
    context.lineWidth = 2.5;
    context.setLineDash(dash);
    context.stroke();
    context.setLineDash([]);
    if (sign) this.drawSign(context, sign, colour, x + 5, y + CELL - 4);
  }

  drawSign(context, sign, colour, x, y) {
    context.beginPath();
    context.arc(x, y, 6.5, 0, 2 * Math.PI);
    context.fillStyle = this.palette[colour];
    context.strokeStyle = this.palette.panel;
    context.lineWidth = 1.5;
    context.fill();
    context.stroke();
    context.font = `bold 12px ${this.palette.sans}`;
    context.fillStyle = this.palette.panel;
    context.fillText(sign, x, y + 0.5);
  }

  drawMark(context, kind, x, y, width) {
    const size = Math.min(9, width);
    drawShape(context, kind, x + width - (size + 1) / 2, y + (size + 1) / 2, size, this.palette[kind], this.palette.panel);
  }

  drawToken(context, recording, token, x, y, width, colour) {
    if (width < TEXT_FROM) return;
    if (token === recording.header.eos_id) {
      drawShape(context, "eos", x + width / 2, y + CELL / 2, 11, colour);
      return;
    }
    context.font = this.font;
    context.fillStyle = colour;
    context.fillText(
      this.shorten(context, visible(recording.text(token)), width - PADDING),
      x + width / 2,
      y + CELL / 2 + 0.5,
    );
  }

  /** The width in pixels that a piece wants for its column. */
  wanted(context, text) {
    return this.measure(context, text) + 2 * PADDING;
  }

  measure(context, text) {
    if (!this.inks.has(text)) {
      context.font = this.font;
      this.inks.set(text, context.measureText(text).width);
    }
    return this.inks.get(text);
  }

  /** `text`, or what of it fits: with an ellipsis where that leaves a character, else its first ones alone. */
  shorten(context, text, room) {
    if (this.measure(context, text) <= room) return text;
    const key = `${room} ${text}`;
    if (!this.shortened.has(key)) {
      const start = this.longest(context, text, "\u2026", room);
      this.shortened.set(key, start === "\u2026" ? this.longest(context, text, "", room + PADDING) : start);
    }
    return this.shortened.get(key);
  }

  /** The longest start of `text` that fits together with `ending`. */
  longest(context, text, ending, room) {
    const characters = [...text];
    while (characters.length && this.measure(context, characters.join("") + ending) > room) characters.pop();
    return characters.join("") + ending;
  }
}

/** The outline of a cell. */
export function box(context, x, y, width, height, radius = RADIUS) {
  context.beginPath();
  context.roundRect(x, y, width, height, Math.min(radius, width / 3));
}
