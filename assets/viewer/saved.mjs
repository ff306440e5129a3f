/** A saved page: the viewer with the runs that lie in the page itself, from a double click and without a server. */

import { mountHeader } from "./header.mjs";
import { mount } from "./main.mjs";

/** Start the page. What it shows lies in it as JSON, {runs: [{text, name}], place}, as do the viewer's own props. */
export function openSaved() {
  document.body.classList.toggle("dark", window.matchMedia("(prefers-color-scheme: dark)").matches);
  const [saved, props] = ["bb-runs", "bb-props"].map((id) => JSON.parse(document.getElementById(id).textContent));
  mountHeader(document.getElementById("bb-header"), { lesson: false }, () => {}, () => {});
  mount(document.getElementById("bb-viewer"), { ...props, saved }, () => {}, () => {}, null);
}
