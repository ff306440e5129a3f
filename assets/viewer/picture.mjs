/** The token grids as one picture, drawn anew at twice the size of the screen, with a title and a legend. */

import { CELL } from "./cells.mjs";
import { cividis, css } from "./colors.mjs";
import { el } from "./dom.mjs";
import { FILLS } from "./fills.mjs";
import { AXIS, ROW } from "./grid.mjs";
import { nameOf } from "./runs.mjs";
import { drawShape, LEGEND } from "./shapes.mjs";

const SCALE = 2;
const MARGIN = 16;
const LABELS = 100;
const LINE = 20;
const GAP = 12;

/** A canvas with what `viewer` shows of run A, and of run B beneath it where there are two. */
export function picture(viewer) {
  const [a, b] = viewer.views;
  const { sentence, sentenceB } = viewer.parts;
  const panels = [{ grid: viewer.grid, view: a, sentence }];
  if (b) panels.push({ grid: viewer.beneath.grid, view: b, sentence: sentenceB });
  const width = viewer.grid.scroll.clientWidth + LABELS + 2 * MARGIN;
  const draft = new Sheet(el("canvas").getContext("2d"), viewer.grid.palette, width);
  const height = compose(draft, viewer, panels, false);
  const canvas = Object.assign(el("canvas"), { width: SCALE * width, height: SCALE * height });
  const context = canvas.getContext("2d");
  context.scale(SCALE, SCALE);
  context.fillStyle = viewer.grid.palette.panel;
  context.fillRect(0, 0, width, height);
  compose(new Sheet(context, viewer.grid.palette, width), viewer, panels, true);
  return canvas;
}

/** Put everything on the sheet, top to bottom; the height that it takes. The grids are only drawn if `whole`. */
function compose(sheet, { runs, player }, panels, whole) {
  const { model, prompt } = runs.shown.recording.header;
  sheet.text(`${nameOf(runs.shown)} \u00b7 step ${player.step + 1} of ${player.count} \u00b7 ${model}`, "bold 15px");
  sheet.text(prompt.replace(/\s+/g, " "), "12.5px", "dim", 1);
  for (const { grid, view, sentence } of panels) {
    sheet.down(GAP);
    if (view.two) sheet.text(view.title, "bold 13px");
    sheet.text(sentence.textContent, "13px");
    if (whole) drawGrid(sheet, grid, view);
    sheet.down(AXIS + grid.rows.length * ROW + GAP);
  }
  sheet.legend(panels[0].view);
  return sheet.y + MARGIN;
}

function drawGrid(sheet, grid, view) {
  const { context, y } = sheet;
  const { scrollLeft: left, clientWidth: width } = grid.scroll;
  grid.rows.forEach((branch, row) => sheet.label(branch, y + AXIS + row * ROW + 6, branch === view.frame.leader));
  context.save();
  context.beginPath();
  context.rect(MARGIN + LABELS, y, width, AXIS + grid.rows.length * ROW);
  context.clip();
  context.translate(MARGIN + LABELS - left, y);
  context.textAlign = "center";
  context.textBaseline = "middle";
  const range = grid.columns.visible(left, left + width);
  grid.drawAxis(context, range, view.cursor, view.parting);
  const all = { ...view, branches: view.frame.ordered };
  grid.rows.forEach((branch, row) => grid.drawRow(context, all, branch, AXIS + row * ROW + 6, range));
  context.restore();
}

/** A sheet that is written from top to bottom. */
class Sheet {
  constructor(context, palette, width) {
    Object.assign(this, { context, palette, width, y: MARGIN });
  }

  down(pixels) {
    this.y += pixels;
  }

  /** A paragraph of at most `most` lines. */
  text(words, font, colour = "ink", most = 4) {
    this.pen(font, colour);
    for (const line of this.lines(words, most)) {
      this.context.fillText(line, MARGIN, this.y + LINE / 2);
      this.down(LINE);
    }
  }

  pen(font, colour) {
    Object.assign(this.context, { textAlign: "left", textBaseline: "middle", fillStyle: this.palette[colour] });
    this.context.font = `${font} ${this.palette.sans}`;
  }

  lines(words, most) {
    const lines = broken(words, (line) => this.context.measureText(line).width <= this.width - 2 * MARGIN);
    return lines.length > most ? [...lines.slice(0, most - 1), `${lines[most - 1]} \u2026`] : lines;
  }

  label(branch, y, leads) {
    this.pen("bold 13px", "ink");
    this.context.fillText(`block ${branch.size}`, MARGIN, y + CELL / 2 - 7);
    this.pen("11.5px", "dim");
    const words = `${branch.decoded} decoded${leads ? ", leads" : ""}`;
    this.context.fillText(words, MARGIN, y + CELL / 2 + 8, LABELS - 6);
  }

  /** The colours of the fill and the two corner marks. */
  legend({ fill, recording }) {
    this.x = MARGIN;
    for (const { css: colour, wide, text } of FILLS[fill].legend({ count: recording.steps.length })) {
      if (wide) this.key(90, (x, y) => this.scale(x, y));
      else if (colour) this.key(16, (x, y) => this.swatch(x, y, colour));
      this.word(text);
    }
    for (const kind of ["merge", "sync"]) {
      this.key(12, (x, y) => drawShape(this.context, kind, x + 6, y, 11, this.palette[kind]));
      this.word(LEGEND[kind][0]);
    }
    this.down(LINE);
  }

  /** Something `width` wide in the legend, on the next line if there is no room for it and some words. */
  key(width, draw) {
    if (this.x + width + 130 > this.width) {
      this.x = MARGIN;
      this.down(LINE);
    }
    draw(this.x, this.y + LINE / 2);
    this.x += width + 6;
  }

  word(text) {
    this.pen("12px", "dim");
    this.context.fillText(text, this.x, this.y + LINE / 2);
    this.x += this.context.measureText(text).width + 12;
  }

  scale(x, y) {
    for (let n = 0; n < 90; n += 1) {
      this.context.fillStyle = css(cividis(n / 89));
      this.context.fillRect(x + n, y - 5, 1.5, 10);
    }
  }

  swatch(x, y, colour) {
    this.context.fillStyle = colour;
    this.context.fillRect(x, y - 7, 16, 14);
  }
}

/** Words as lines that `fit(line)`; a word too long for one, as texts without spaces are, is broken where it must be. */
export function broken(words, fit) {
  const lines = [""];
  const add = (piece, space) => {
    const longer = lines.at(-1) ? lines.at(-1) + space + piece : piece;
    if (fit(longer) || !lines.at(-1)) lines[lines.length - 1] = longer;
    else lines.push(piece);
  };
  for (const word of words.split(" ")) {
    if (fit(word)) add(word, " ");
    else [...word].forEach((character, index) => add(character, index ? "" : " "));
  }
  return lines;
}
