/**
 * Draws what is costly without holding up the page: one thing at a time, and after one that took t milliseconds nothing
 * for `rest` times t. What is asked for again while it waits is drawn once, as it is then.
 */

/** A sixth of the time may go into drawing; of a live run's, less than one update in twenty may find it busy. */
export const REST = { still: 5, live: 20 };

export class Pacer {
  /** `clock()` gives milliseconds, `later(act, milliseconds)` calls `act` once that much later. */
  constructor(clock = () => performance.now(), later = (act, wait) => setTimeout(act, wait)) {
    Object.assign(this, { clock, later, waiting: new Set(), free: 0, rest: REST.still, set: false, open: false });
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
    if (this.set || !this.open || !this.waiting.size) return;
    this.set = true;
    this.later(() => this.turn(), Math.max(this.free - this.clock(), 0));
  }

  turn() {
    this.set = false;
    const [thing] = this.waiting;
    this.waiting.delete(thing);
    const began = this.clock();
    thing.render();
    this.free = this.clock() + this.rest * (this.clock() - began);
    this.plan();
  }
}
