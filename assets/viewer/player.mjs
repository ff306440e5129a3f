/**
 * The state of replay: which step is shown, or which event inside it, whether it moves by itself, how fast, and the
 * range that it repeats.
 *
 * It knows no clock: `tick(milliseconds)` moves time on. While a run is live and its newest step is shown, new steps are
 * followed; who looks at a later step, of a longer run beside it, is left there.
 */

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
const MILLISECONDS_PER_STEP = 900;

export class Player {
  constructor(onChange) {
    this.onChange = onChange;
    this.reset();
    this.speed = 1;
  }

  /** Start over with a run that has no step yet. */
  reset() {
    this.count = 0;
    this.newest = -1;
    this.step = -1;
    this.until = null; // how many happenings of the step are shown; null for the whole step
    this.range = null; // [first, last] steps that are repeated; last is null while only the first is set
    this.playing = false;
    this.following = true;
    this.waited = 0;
  }

  /** There are `count` steps now. A live run is followed to its newest step, which need not be the last of all. */
  grow(count, live, newest = count - 1) {
    this.count = count;
    this.newest = newest;
    if (!count) return;
    if (this.step < 0 || (live && this.following)) {
      this.step = live ? newest : 0;
      this.until = null;
    }
    if (this.step >= count) Object.assign(this, { step: count - 1, until: null, following: true });
    if (this.range && Math.max(...this.range) >= count) this.range = null;
    this.onChange();
  }

  /** Another run takes the place of the one shown: its whole step is shown, for other things happened in it. */
  change(count, live) {
    this.until = null;
    this.grow(count, live);
  }

  seek(step) {
    if (!this.count) return;
    this.step = Math.min(Math.max(step, 0), this.count - 1);
    this.until = null;
    this.following = this.step === this.newest;
    this.waited = 0;
    this.onChange();
  }

  /** Go to a place that `nextStop` gave; who looks inside a step is not taken on to the next. */
  stopAt({ step, until }) {
    this.playing = false;
    this.seek(step);
    Object.assign(this, { until, following: false });
  }

  /** Mark the first step of a range, then its last one and repeat it, then repeat no more. */
  loop() {
    if (!this.range) this.range = [this.step, null];
    else this.range = this.repeating ? null : [this.range[0], this.step].sort((a, b) => a - b);
    if (this.repeating) this.play();
    this.onChange();
  }

  get repeating() {
    return Boolean(this.range && this.range[1] !== null);
  }

  move(steps) {
    this.playing = false;
    this.seek(this.step + steps);
  }

  get atEnd() {
    return this.step === this.count - 1;
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (!this.playing && (this.repeating || this.atEnd)) this.seek(this.repeating ? this.range[0] : 0);
    this.playing = this.count > 0;
    this.waited = 0;
    this.onChange();
  }

  pause() {
    this.playing = false;
    this.onChange();
  }

  /** Let `milliseconds` pass. */
  tick(milliseconds) {
    if (!this.playing) return;
    this.waited += milliseconds;
    const due = Math.floor(this.waited / (MILLISECONDS_PER_STEP / this.speed));
    if (!due) return;
    this.waited = 0;
    this.step = this.after(due);
    this.until = null;
    this.playing = this.repeating || !this.atEnd;
    this.following = !this.repeating && this.step === this.newest;
    this.onChange();
  }

  /** The step that comes `steps` later; a repeated range goes on at its first. */
  after(steps) {
    const next = Math.min(this.step + steps, this.count - 1);
    if (!this.repeating) return next;
    const [first, last] = this.range;
    return this.step >= last || next < first ? first : Math.min(next, last);
  }
}

/**
 * The event before (`direction` -1) or after (1) a place {step, until}, across steps; null where there is none.
 * `countOf(step)` is the number of happenings of a step.
 */
export function nextStop({ step, until }, direction, countOf, steps) {
  const count = countOf(step);
  if (until === null && direction < 0) return { step, until: count };
  const wanted = (until ?? count) + direction;
  if (wanted >= 1 && wanted <= count) return { step, until: wanted };
  const other = step + direction;
  if (other < 0 || other >= steps) return null;
  return { step: other, until: direction > 0 ? 1 : countOf(other) };
}
