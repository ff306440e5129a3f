/** Token text made visible in a cell: its leading space, its line breaks and its tabs can be seen. */
export function visible(text) {
  return text
    .replace(/\r?\n/g, "\u21b5")
    .replace(/\t/g, "\u21e5")
    .replace(/^ +/, (spaces) => "\u00b7".repeat(spaces.length));
}
