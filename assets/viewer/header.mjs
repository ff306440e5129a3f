/** The page's header: the status chip, which follows the viewer, the theme button and the help button. */

import { parts, say } from "./dom.mjs";

const THEME = "blockbatch-theme";

export function mountHeader(element) {
  const { chip, status, theme, help } = parts(element);
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
