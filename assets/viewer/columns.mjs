/** Where the columns of the token grids stand: one a position, as wide as the longest token written there. */

export const GAP = 3;
const NARROWEST = 24;
const WIDEST = 132;

export class Columns {
  constructor(length) {
    this.widths = new Float64Array(length).fill(NARROWEST);
    this.lefts = new Float64Array(length + 1);
    this.place();
  }

  /** Make column `position` at least `width` wide; true if that moved anything. */
  widen(position, width) {
    const wanted = Math.min(Math.max(Math.ceil(width), NARROWEST), WIDEST);
    if (wanted <= this.widths[position]) return false;
    this.widths[position] = wanted;
    return true;
  }

  /** Work out all left edges again. */
  place() {
    for (let p = 0; p < this.widths.length; p += 1) this.lefts[p + 1] = this.lefts[p] + this.widths[p] + GAP;
  }

  get total() {
    return Math.max(this.lefts[this.widths.length] - GAP, 0);
  }

  /** The column at x; the nearest one outside. */
  at(x) {
    let [low, high] = [0, this.widths.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.lefts[middle] <= x) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, 0);
  }

  /** [first, last + 1) of the columns that touch [left, right]. */
  visible(left, right) {
    return [this.at(left), Math.min(this.at(right) + 1, this.widths.length)];
  }
}
