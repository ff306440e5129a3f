/** The glossary: the words on screen beside the paper's and the code's. */

import { el } from "./dom.mjs";
import { glossary } from "./words.mjs";

/** Fill the dialog, and let the help lead to it. */
export function mountGlossary({ glossaryRows, glossaryDialog, toGlossary, help }) {
  glossaryRows.append(...glossary().map(row));
  toGlossary.addEventListener("click", () => {
    help.close();
    glossaryDialog.showModal();
  });
}

function row({ name, paper, code, meaning }) {
  const line = el("tr");
  const head = el("th", "", name);
  head.scope = "row";
  const cell = el("td");
  cell.append(...(code ? [el("code", "", code)] : []));
  line.append(head, el("td", "", paper), cell, el("td", "", meaning));
  return line;
}
