/** Cividis: confidence as colour, even in lightness and safe for colour-blind eyes. */

const STOPS = [
  [0, 34, 78],
  [18, 53, 112],
  [59, 73, 108],
  [87, 93, 109],
  [112, 113, 115],
  [138, 134, 120],
  [165, 156, 116],
  [195, 179, 105],
  [225, 204, 85],
  [254, 232, 56],
];
const TABLE = Array.from({ length: 256 }, (_, index) => mix(index / 255));

/** The colour of a value in [0, 1] as [r, g, b]. */
export function cividis(value) {
  return TABLE[Math.round(255 * Math.min(Math.max(value, 0), 1))];
}

export function css([red, green, blue]) {
  return `rgb(${red} ${green} ${blue})`;
}

/** Black or white, whichever reads better on a colour. */
export function inkOn([red, green, blue]) {
  return 0.299 * red + 0.587 * green + 0.114 * blue > 125 ? "#0f141a" : "#f6f8fa";
}

/** The scale from 0 to 1 as a CSS gradient. */
export function gradient() {
  return `linear-gradient(90deg, ${STOPS.map(css).join(", ")})`;
}

function mix(value) {
  const place = value * (STOPS.length - 1);
  const index = Math.min(Math.floor(place), STOPS.length - 2);
  return STOPS[index].map((part, channel) => Math.round(part + (STOPS[index + 1][channel] - part) * (place - index)));
}
