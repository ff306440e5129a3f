/** Nothing but control and format characters; among others, as in emoji, they have their use. */
const UNSEEN = /^[\p{Cc}\p{Cf}]+$/u;

/** Token text made visible in a cell: its leading space, its line breaks and its tabs, and what shows nothing at all. */
export function visible(text) {
  const shown = text
    .replace(/\r?\n/g, "\u21b5")
    .replace(/\t/g, "\u21e5")
    .replace(/^ +/, (spaces) => "\u00b7".repeat(spaces.length));
  return UNSEEN.test(shown) ? Array.from(shown, codePoint).join(" ") : shown;
}

function codePoint(character) {
  return `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}
