/** Small helpers for the page's elements. Text goes in as text, never as markup. */

const SVG = "http://www.w3.org/2000/svg";

/** A new element with a class and a text. */
export function el(tag, className = "", text = null) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== null) node.textContent = text;
  return node;
}

/** A small drawing in a 10 x 10 box; it takes the colour of its class. */
export function icon(path, className) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 10 10");
  svg.setAttribute("class", className);
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

/** Set a text only where it differs, so that nothing is laid out in vain. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Let a button be pressed, or disable it with a title that says why. */
export function enable(button, problem) {
  button.dataset.about ??= button.title;
  button.disabled = Boolean(problem);
  button.title = problem || button.dataset.about;
}

/** The parts of a template, by the names in their `data-part`. */
export function parts(root) {
  return Object.fromEntries([...root.querySelectorAll("[data-part]")].map((node) => [node.dataset.part, node]));
}

/** Give a canvas its size in CSS pixels and return a context that draws in them. */
export function surface(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== columns || canvas.height !== rows) {
    Object.assign(canvas, { width: columns, height: rows });
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

const widths = new WeakMap();
let watcher = null;

/** The inner width of an element in pixels, remembered until it changes: reading it afresh would lay the page out. */
export function widthOf(node) {
  watcher ??= new ResizeObserver((entries) => {
    for (const { target } of entries) widths.set(target, target.clientWidth);
  });
  if (!widths.get(node)) {
    widths.set(node, node.clientWidth);
    watcher.observe(node);
  }
  return widths.get(node);
}

/** The theme's colours and fonts as the style sheet defines them on `root`. */
export function palette(root) {
  const style = getComputedStyle(root);
  const names = [
    "panel",
    "raise",
    "line",
    "ink",
    "dim",
    "faint",
    "accent",
    "merge",
    "sync",
    "refresh",
    "ahead",
    "knob",
    "eos",
    "focus",
    "red",
  ];
  const colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--bb-${name}`).trim()]));
  return {
    ...colours,
    mono: style.getPropertyValue("--bb-mono").trim(),
    sans: style.getPropertyValue("--bb-sans").trim(),
  };
}

/** Scroll the page as little as needed to see an element. */
export function bringIntoView(node) {
  node.scrollIntoView({ block: "nearest", inline: "nearest", behavior: calm() ? "auto" : "smooth" });
}

/** Whether the visitor asked for less motion. */
export function calm() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}
