/** Where the columns of the token grids stand: one a position, as wide as the longest token written there. */

import { gapAt } from "./zoom.mjs";

export const GAP = 3;
const NARROWEST = 24;
const WIDEST = 132;

export class Columns {
  /** `zoom`: no column is wider than this (see `zoom.mjs`). */
  constructor(length, zoom = Infinity) {
    this.wanted = new Float64Array(length).fill(NARROWEST);
    this.widths = new Float64Array(length);
    this.lefts = new Float64Array(length + 1);
    this.zoom = zoom;
    this.place();
  }

  get length() {
    return this.widths.length;
  }

  /** Make column `position` at least `width` wide, as far as the zoom lets it; true if that may have moved anything. */
  widen(position, width) {
    const wanted = Math.min(Math.max(Math.ceil(width), NARROWEST), WIDEST);
    if (wanted <= this.wanted[position]) return false;
    this.wanted[position] = wanted;
    return true;
  }

  /** Work out all widths and left edges again. */
  place() {
    this.gap = gapAt(this.zoom, GAP);
    for (let p = 0; p < this.length; p += 1) {
      this.widths[p] = Math.min(this.wanted[p], Math.max(this.zoom - this.gap, 1));
      this.lefts[p + 1] = this.lefts[p] + this.widths[p] + this.gap;
    }
  }

  get total() {
    return Math.max(this.lefts[this.length] - this.gap, 0);
  }

  /** The column at x; the nearest one outside. */
  at(x) {
    let [low, high] = [0, this.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.lefts[middle] <= x) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, 0);
  }

  /** [first, last + 1) of the columns that touch [left, right]. */
  visible(left, right) {
    return [this.at(left), Math.min(this.at(right) + 1, this.length)];
  }

  /** Where x lies, whatever the zoom: a position and a share of its column. */
  placeOf(x) {
    const position = this.at(x);
    return { position, share: (x - this.lefts[position]) / (this.widths[position] + this.gap) };
  }

  /** The x of a place that `placeOf` gave. */
  xOf({ position, share }) {
    return this.lefts[position] + share * (this.widths[position] + this.gap);
  }
}
