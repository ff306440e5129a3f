/** The shapes of events, each with its own outline so that colour is never the only sign. Boxes are 10 x 10. */

import { WORDS } from "./words.mjs";

export const SHAPES = {
  merge: "M5 0 10 5 5 10 0 5z",
  sync: "M5 .4 10 9.4H0z",
  refresh: "M.7.7H9.3V9.3H.7z",
  ahead: "M.6.4 5 5 .6 9.6zM5 .4 9.4 5 5 9.6z",
  knob: "M5 .4a4.6 4.6 0 1 1 0 9.2a4.6 4.6 0 1 1 0-9.2z",
  eos: "M.6 0H9.4L5.9 5 9.4 10H.6L4.1 5z",
};

/** What each mark is called on screen, and what it means. */
export const LEGEND = Object.fromEntries(Object.keys(SHAPES).map((kind) => [kind, [WORDS[kind].name, WORDS[kind].meaning]]));

/** Draw a shape with its centre at (x, y). A halo of the surface's colour keeps it legible on any fill. */
export function drawShape(context, kind, x, y, size, colour, halo = null) {
  const path = new Path2D(SHAPES[kind]);
  context.save();
  context.translate(x - size / 2, y - size / 2);
  context.scale(size / 10, size / 10);
  if (halo) {
    context.strokeStyle = halo;
    context.lineWidth = 30 / size;
    context.lineJoin = "round";
    context.stroke(path);
  }
  context.fillStyle = colour;
  context.fill(path);
  context.restore();
}
