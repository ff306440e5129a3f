/**
 * How far the token grids are zoomed, and which part of a long run is in view: arithmetic alone.
 *
 * The zoom is one number, the greatest width of a column in pixels: Infinity lets each column be as wide as its longest
 * token, a smaller number makes all that are wider as wide as it.
 */

export const LEAST = 1;
export const TEXT_FROM = 14; // a cell is as wide as this at least to hold text
export const SHAPE_FROM = 4; // and this to have an outline; a narrower one is only its colour
const ROOMY_FROM = 18; // from this zoom on columns stand well apart
const STOPS = [LEAST, 2, 3, 5, 8, 12, 18, 26, 40];
const WIDEST = 60; // from here on a cell is as wide as its text
const PER_PIXEL = 1 / 300; // a wheel's turn by so many pixels changes the zoom e-fold
const NARROWEST_FRAME = 10;

/** The least zoom for `length` positions in a view of `room` pixels: all fit, or a cell is one pixel wide. */
export function least(length, room) {
  return Math.min(Math.max((room - 2) / Math.max(length, 1), LEAST), STOPS.at(-1));
}

/** The zoom one stop further in (`direction` 1) or out (-1); never beyond what shows all of `length` positions. */
export function stepped(zoom, direction, length, room) {
  const end = least(length, room);
  const stops = [end, ...STOPS.filter((stop) => stop > end), Infinity];
  if (direction > 0) return stops.find((stop) => stop > zoom) ?? Infinity;
  return stops.findLast((stop) => stop < zoom) ?? end;
}

/** The zoom times `factor`, as wheels and fingers ask for it. */
export function scaled(zoom, factor, length, room) {
  const wanted = Math.min(zoom, WIDEST) * factor;
  return wanted >= WIDEST ? Infinity : Math.max(wanted, least(length, room));
}

/** The factor that a wheel's turn stands for. */
export function wheelFactor({ deltaY, deltaMode }) {
  return Math.exp(-deltaY * (deltaMode === 1 ? 16 : 1) * PER_PIXEL);
}

/** The gap between two columns: none where a cell is only its colour. */
export function gapAt(zoom, full) {
  if (zoom >= ROOMY_FROM) return full;
  return zoom > SHAPE_FROM ? 1 : 0;
}

/** Every how many positions the axis has a number, where a position takes `pitch` pixels. */
export function labelEvery(pitch) {
  let every = 4;
  while (every * pitch < 34) every *= 2;
  return every;
}

/** {left, width} of the frame around the positions [first, last) on a strip of `length` positions and `room` pixels. */
export function frameOn([first, last], length, room) {
  const scale = room / Math.max(length, 1);
  const width = Math.min(Math.max((last - first) * scale, NARROWEST_FRAME), room);
  return { left: Math.min(first * scale, room - width), width };
}

/** The first position in view when a view of `span` positions has its middle at the position `middle`. */
export function firstAround(middle, span, length) {
  return Math.round(Math.min(Math.max(middle - span / 2, 0), Math.max(length - span, 0)));
}

/** The first position in view after a key on the minimap; null for keys that mean nothing there. */
export function firstAfter(key, [first, last], length) {
  const span = last - first;
  const page = Math.max(Math.round(0.9 * span), 1);
  const little = Math.max(Math.round(span / 10), 1);
  const moves = { ArrowLeft: -little, ArrowDown: -little, ArrowRight: little, ArrowUp: little };
  const far = { PageUp: -page, PageDown: page, Home: -length, End: length };
  const move = moves[key] ?? far[key];
  return move === undefined ? null : Math.min(Math.max(first + move, 0), Math.max(length - span, 0));
}
