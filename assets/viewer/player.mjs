/**
 * The state of replay: which step is shown, whether it moves by itself, how fast.
 *
 * It knows no clock: `tick(milliseconds)` moves time on. While a run is live and its newest step is shown, new steps are
 * followed.
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
    this.step = -1;
    this.playing = false;
    this.following = true;
    this.waited = 0;
  }

  /** A run has `count` steps now. A live one is followed to its newest step. */
  grow(count, live) {
    this.count = count;
    if (!count) return;
    if (this.step < 0 || (live && this.following)) this.step = live ? count - 1 : 0;
    this.onChange();
  }

  seek(step) {
    if (!this.count) return;
    this.step = Math.min(Math.max(step, 0), this.count - 1);
    this.following = this.atEnd;
    this.waited = 0;
    this.onChange();
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
    if (!this.playing && this.atEnd) this.seek(0);
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
    this.step = Math.min(this.step + due, this.count - 1);
    this.playing = !this.atEnd;
    this.following = this.atEnd;
    this.onChange();
  }
}
