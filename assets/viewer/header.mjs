/** The page's header: the status chip, which follows the viewer, and the buttons for the lab, the lesson, the theme and help. */

import { parts, say } from "./dom.mjs";
import { askUntil } from "./until.mjs";

const THEME = "blockbatch-theme";

export function mountHeader(element, props, watch, trigger) {
  const { chip, status, theme, help, lab, teach } = parts(element);
  mountLab(lab, trigger);
  mountTeach(teach, props, watch, trigger);
  document.addEventListener("blockbatch:status", ({ detail }) => {
    chip.dataset.state = detail.state;
    say(status, detail.text);
  });
  document.dispatchEvent(new CustomEvent("blockbatch:ask-status"));
  restoreTheme();
  theme.addEventListener("click", () => {
    const dark = document.body.classList.toggle("dark");
    remember(dark ? "dark" : "light");
  });
  help.addEventListener("click", () => document.dispatchEvent(new CustomEvent("blockbatch:help")));
}

/**
 * The lab's button: the lab takes the viewer's place until it is left. The server makes it when it is first asked for, and
 * is asked again while the lab is open and empty; `?lab` in the address asks for it at once. What opens a run or the
 * lesson leaves it.
 */
function mountLab(button, trigger) {
  const settled = () => button.getAttribute("aria-pressed") !== "true" || document.querySelector("#bb-lab .bb-lab-plot");
  const show = (open) => {
    if (!open && document.activeElement?.closest("#bb-lab")) button.focus({ preventScroll: true });
    document.body.classList.toggle("bb-in-lab", open);
    button.setAttribute("aria-pressed", String(open));
    if (open) askUntil(settled, () => trigger("expand", {}));
  };
  button.addEventListener("click", () => show(button.getAttribute("aria-pressed") !== "true"));
  document.addEventListener("blockbatch:lab", ({ detail }) => show(detail.open));
  document.addEventListener("blockbatch:teaching", ({ detail }) => detail.open && show(false));
  if (new URLSearchParams(window.location.search).has("lab"))
    document.addEventListener("blockbatch:status", () => show(true), { once: true });
}

/**
 * The lesson's button. Its run comes from the server when it is first asked for; `?teach` in the address opens the lesson
 * as soon as the viewer is there. Without a run for the lesson there is no button.
 */
function mountTeach(teach, props, watch, trigger) {
  teach.hidden = !props.lesson;
  if (!props.lesson) return;
  const send = (name, detail = {}) => document.dispatchEvent(new CustomEvent(`blockbatch:${name}`, { detail }));
  teach.addEventListener("click", () => send("teach"));
  document.addEventListener("blockbatch:ask-lesson", () => trigger("submit", {}));
  watch("value", () => send("lesson", { text: props.value }));
  document.addEventListener("blockbatch:teaching", ({ detail }) => {
    const was = teach.getAttribute("aria-pressed") === "true";
    teach.setAttribute("aria-pressed", String(detail.open));
    if (was && !detail.open) teach.focus({ preventScroll: true });
  });
  if (new URLSearchParams(window.location.search).has("teach"))
    document.addEventListener("blockbatch:status", () => send("teach"), { once: true });
}

/** The visitor's own choice goes before the system's; a theme in the address goes before both. */
function restoreTheme() {
  if (new URLSearchParams(window.location.search).has("__theme")) return;
  const choice = remembered();
  if (choice) document.body.classList.toggle("dark", choice === "dark");
}

function remember(choice) {
  try {
    localStorage.setItem(THEME, choice);
  } catch {
    // A page in a frame may not be allowed to remember; the choice then holds for this visit.
  }
}

function remembered() {
  try {
    return localStorage.getItem(THEME);
  } catch {
    return null;
  }
}
