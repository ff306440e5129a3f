/** The keyboard: what each key does, in one place, for the page and for its help. */

/** Shown in the help, in this order. */
export const KEY_HELP = [
  ["Space", "play or pause"],
  ["\u2190 \u2192", "previous or next step"],
  ["Shift + \u2190 \u2192", "previous or next step with a mark"],
  [", .", "previous or next event, inside the steps"],
  ["Home End", "first or last step"],
  ["1 \u2026 6", "pick a branch"],
  ["[ ]", "previous or next position"],
  ["{ }", "move the view of the grids left or right"],
  ["+ -", "zoom the grids; with the mouse, ctrl and the wheel"],
  ["f", "what the cells' colour stands for"],
  ["l", "repeat a range: its first step, its last, off"],
  ["d", "where the answers of two runs first part"],
  ["g", "the glossary"],
  ["?", "this help"],
  ["n p", "in the lesson: next or previous card (Page Down, Page Up)"],
  ["a b c", "in the lesson: choose an answer"],
  ["Esc", "leave the lesson"],
];

const ALTERED = /^[[\]{}]$/; // on many keyboards typed with AltGr, which counts as Ctrl and Alt, or with Option

/** The name of the action that a key event asks for; null where the key belongs to a field or means nothing here. */
export function actionOf(event) {
  const typed = event.altKey && !event.metaKey && ALTERED.test(event.key);
  if (!typed && (event.ctrlKey || event.metaKey || event.altKey)) return null;
  if (isField(event.target)) return null;
  if (/^[1-9]$/.test(event.key)) return { name: "branch", index: Number(event.key) - 1 };
  const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (direction) return { name: event.shiftKey ? "event" : "step", direction };
  if (event.key === " ") return isButton(event.target) ? null : { name: "toggle" };
  const actions = {
    Home: { name: "first" },
    End: { name: "last" },
    "?": { name: "help" },
    g: { name: "glossary" },
    ",": { name: "stop", direction: -1 },
    ".": { name: "stop", direction: 1 },
    f: { name: "fill" },
    l: { name: "loop" },
    d: { name: "part" },
    "+": { name: "zoom", direction: 1 },
    "=": { name: "zoom", direction: 1 },
    "-": { name: "zoom", direction: -1 },
    "{": { name: "pan", direction: -1 },
    "}": { name: "pan", direction: 1 },
    "[": { name: "position", direction: -1 },
    "]": { name: "position", direction: 1 },
  };
  return actions[event.key] ?? null;
}

function isField(target) {
  if (target?.matches?.("[data-part=scrub]")) return false;
  return Boolean(
    target?.closest?.(
      "input, textarea, select, [contenteditable=true], [role=slider], [role=radiogroup], [role=listbox], dialog[open]",
    ),
  );
}

function isButton(target) {
  return Boolean(target?.closest?.("button, a, summary"));
}
