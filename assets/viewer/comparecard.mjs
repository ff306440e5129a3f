/** The card that pins a run, starts one to compare it with, and shows the figures of both. */

import { el, enable, say } from "./dom.mjs";

const CONTRASTS = { againstFast: "dual-cache", againstLeap: "local-leap", againstOne: "one-size" };

export class CompareCard {
  /** `acts`: {pin, unpin, part, ask(kind)}. */
  constructor(parts, acts) {
    this.parts = parts;
    parts.pin.addEventListener("click", acts.pin);
    parts.unpin.addEventListener("click", acts.unpin);
    parts.part.addEventListener("click", acts.part);
    for (const [part, kind] of Object.entries(CONTRASTS)) parts[part].addEventListener("click", () => acts.ask(kind));
  }

  /** `comparison` is null while there is no second run; `problem` says why none can be started, if so. */
  draw({ pinned, problem, comparison, frames }) {
    const { pin, unpin, part, compareSays, figuresB } = this.parts;
    pin.hidden = pinned;
    unpin.hidden = !pinned;
    part.hidden = !comparison;
    for (const name of Object.keys(CONTRASTS)) enable(this.parts[name], problem);
    say(compareSays, this.sentence(pinned, comparison));
    part.disabled = !comparison?.parting;
    figuresB.hidden = !comparison;
    if (comparison) this.drawFigures(comparison.figures(...frames));
  }

  sentence(pinned, comparison) {
    if (comparison) return comparison.sentence;
    if (pinned) return "Run A is pinned. Whatever is run or opened next is shown beneath it.";
    return "Pin this run, then run or open another one; or start a contrast with one click:";
  }

  drawFigures(rows) {
    const body = this.parts.figuresB.tBodies[0];
    while (body.children.length < rows.length) {
      const row = el("tr");
      row.append(el("th"), figureCell(), figureCell());
      row.firstChild.scope = "row";
      body.append(row);
    }
    rows.forEach(({ label, a, b }, index) => {
      const [name, ...cells] = body.children[index].children;
      say(name, label);
      [a, b].forEach(({ value, detail }, run) => {
        say(cells[run].children[0], value);
        say(cells[run].children[1], detail);
      });
    });
  }
}

function figureCell() {
  const cell = el("td");
  cell.append(el("b"), el("small"));
  return cell;
}
