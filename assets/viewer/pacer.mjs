/**
 * Draws what is costly without holding up the page: one thing at a time, and after one that took t milliseconds nothing
 * for `rest` times t, unless it fits in before the next step of a live run is expected. What is asked for again while it
 * waits is drawn once, as it is then.
 */

/** A sixth of the time may go into drawing; of a live run's, less than one update in twenty may find it busy. */
export const REST = { still: 5, live: 20 };
const MARGIN = 1.5; // a drawing is taken to last so many times as long as the one before

export class Pacer {
  /** `clock()` gives milliseconds, `later(act, milliseconds)` calls `act` once that much later. */
  constructor(clock = () => performance.now(), later = (act, wait) => setTimeout(act, wait)) {
    Object.assign(this, { clock, later, waiting: new Set(), ended: 0, took: 0, pause: REST.still, due: null, open: false });
    Object.assign(this, { arrival: -Infinity, gap: 0, next: 0 });
  }

  /** A step of a live run has arrived: the next is expected after the shorter of the last two gaps. */
  arrived() {
    const now = this.clock();
    const gap = now - this.arrival;
    Object.assign(this, { arrival: now, gap, next: now + Math.min(gap, this.gap) });
  }

  /** How long nothing is drawn, as a multiple of what the last thing took; a new one holds for the rest that is on. */
  set rest(times) {
    if (times === this.pause) return;
    this.pause = times;
    this.due = null;
    this.plan();
  }

  /** From now on things are drawn; until then they wait. */
  start() {
    this.open = true;
    this.plan();
  }

  /** Let `thing.render()` be called soon. */
  ask(thing) {
    this.waiting.add(thing);
    this.plan();
  }

  plan() {
    if (!this.open || !this.waiting.size) return;
    const now = this.clock();
    const fits = now + MARGIN * this.took < this.next;
    const at = fits ? now : Math.max(this.ended + this.pause * this.took, now);
    if (this.due && this.due.at <= at) return;
    const due = (this.due = { at }); // takes the place of a later turn, which then does nothing
    this.later(() => due === this.due && this.turn(), at - now);
  }

  turn() {
    this.due = null;
    const [thing] = this.waiting;
    this.waiting.delete(thing);
    const began = this.clock();
    thing.render();
    this.ended = this.clock();
    this.took = this.ended - began;
    this.plan();
  }
}
