/**
 * Draws what is costly without holding up the page: one thing at a time, and after one that took t milliseconds nothing
 * for `rest` times t. What is asked for again while it waits is drawn once, as it is then.
 */

/** A sixth of the time may go into drawing; of a live run's, less than one update in twenty may find it busy. */
export const REST = { still: 5, live: 20 };

export class Pacer {
  /** `clock()` gives milliseconds, `later(act, milliseconds)` calls `act` once that much later. */
  constructor(clock = () => performance.now(), later = (act, wait) => setTimeout(act, wait)) {
    Object.assign(this, { clock, later, waiting: new Set(), ended: 0, took: 0, pause: REST.still, due: null, open: false });
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
    if (this.due || !this.open || !this.waiting.size) return;
    const due = (this.due = {}); // a turn that was planned before the rest changed is not the one that is due
    const wait = Math.max(this.ended + this.pause * this.took - this.clock(), 0);
    this.later(() => due === this.due && this.turn(), wait);
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
