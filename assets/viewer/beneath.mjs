/** Run B beneath run A: its timeline and its grids, in the columns of A's. */

import { clamped } from "./compare.mjs";
import { bringIntoView, say, widthOf } from "./dom.mjs";
import { Grid } from "./grid.mjs";
import { speaker } from "./metrics.mjs";
import { Timeline } from "./timeline.mjs";
import { drawSentence } from "./transport.mjs";

const WIDE = 620; // pixels from which all branches of B are shown, not only the row that speaks for it

export class Beneath {
  /** `pick` and `go` as for A; sideways wheeling is passed on to `above`, A's grid. */
  constructor(parts, plots, above, { pick, go, scrolled }) {
    Object.assign(this, { card: parts.beneath, title: parts.titleB, sentence: parts.sentenceB, above });
    this.save = parts.downloadB;
    const { scrollB: scroll, spacerB: spacer, canvasB: canvas, labelsB: labels } = parts;
    this.grid = new Grid({ scroll, spacer, canvas, labels }, { pick, scrolled });
    this.timeline = new Timeline(plots, parts.timelineB, go);
    scroll.addEventListener("wheel", (event) => this.passOn(event), { passive: false });
  }

  passOn(event) {
    const across = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
    if (!across) return;
    event.preventDefault();
    this.above.follow = false;
    this.above.scroll.scrollLeft += across;
  }

  restyle() {
    this.grid.restyle();
  }

  /** Draw a view of run B, its timeline on the axis of A's; without one the card is hidden. */
  draw(view, axis, extent) {
    const appears = this.card.hidden && view;
    this.card.hidden = !view;
    if (!view) return;
    say(this.title, view.title);
    this.save.disabled = view.live;
    drawSentence(this.sentence, view.recording, { ...view.player, until: null }, view.live);
    this.timeline.draw(view, axis, extent);
    const { columns, left, room } = this.above;
    Object.assign(this.grid, { columns, left, room });
    const rows = widthOf(this.card) < WIDE ? [speaker(view.recording, view.frame)] : view.frame.ordered;
    this.grid.draw({ ...view, rows });
    this.grid.scroll.scrollLeft = left;
    if (appears) bringIntoView(this.card);
  }
}

/** The frame of run B while A is at step `n`. */
export function frameBeneath(recording, n) {
  return recording.frame(clamped(recording, n));
}
