/** The panels of text beside the pictures: figures, the inspected cell, the text so far. */

import { MASKED } from "./fold.mjs";
import { el, icon, say } from "./dom.mjs";
import { figures, over, speaker } from "./metrics.mjs";
import { visible } from "./pieces.mjs";
import { cellHistory, cellSentence, chance, limitsOf, limitWords, quoted } from "./sentences.mjs";
import { SHAPES } from "./shapes.mjs";

/** The strip of figures. */
export function drawFigures(root, { recording, frame }) {
  const list = figures(recording, frame);
  while (root.children.length < list.length) {
    const figure = el("div", "bb-figure");
    figure.append(el("b"), el("span"), el("small"));
    root.append(figure);
  }
  list.forEach(({ value, label, detail }, index) => {
    const [number, name, note] = root.children[index].children;
    say(number, value);
    say(name, label);
    say(note, detail);
  });
}

/** The candidates of a masked position as the step's forward gave them: [[token, probability], ...], best first. */
export function candidatesAt(recording, step, size, position) {
  const { kind, candidates: list } = recording.steps[step] ?? { candidates: [] };
  const candidates = list.find(
    (entry) => (entry.branch === size || kind === "init") && entry.positions.includes(position),
  );
  const index = candidates ? candidates.positions.indexOf(position) : -1;
  if (index < 0) return [];
  const first = candidates.counts.slice(0, index).reduce((sum, count) => sum + count, 0);
  const range = [first, first + candidates.counts[index]];
  const probabilities = candidates.probabilities.slice(...range);
  return candidates.tokens.slice(...range).map((token, rank) => [token, probabilities[rank]]);
}

/** The inspected cell: its candidates with the thresholds drawn in, why it is as it is, and what happened to it. */
export class Inspector {
  constructor({ cellTitle, cellSeen, candidates, thresholds, why, history }) {
    Object.assign(this, { cellTitle, cellSeen, candidates, thresholds, why, history });
  }

  /** `run` names the run of the view, where there are two. */
  draw({ recording, frame, cursor }, run = "") {
    const branch = frame.branches.get(cursor.branch);
    if (!branch || frame.step < 0) return;
    const { position } = cursor;
    const seen = branch.seen[position];
    say(this.cellTitle, `${run}Position ${position}, block ${branch.size}`);
    say(this.cellSeen, seen < 0 ? "not seen by a forward of this branch yet" : `candidates as of step ${seen + 1}`);
    this.drawCandidates(recording, frame.config, candidatesAt(recording, seen, branch.seenBy[position], position));
    say(this.why, cellSentence(recording, frame, branch, position));
    this.why.dataset.how = branch.token[position] === MASKED ? 0 : branch.how[position];
    this.drawHistory(recording, frame, branch.size, position);
  }

  drawCandidates(recording, config, list) {
    const bars = list.map(([token, probability]) => this.bar(recording, config, token, probability));
    while (bars.length < 5) bars.push(this.bar(recording, config, null, 0));
    this.candidates.replaceChildren(...bars);
    say(this.thresholds, limitWords(recording, config));
  }

  bar(recording, config, token, probability) {
    const row = el("div", token === null ? "bb-bar bb-empty" : "bb-bar");
    const end = token === recording.header.eos_id;
    const name = el("span", "bb-piece", token === null || end ? "" : visible(recording.text(token)));
    if (end) name.append(icon(SHAPES.eos, "bb-shape bb-eos"));
    const track = el("span", "bb-track");
    const fill = el("i");
    fill.style.width = `${100 * probability}%`;
    track.append(fill, ...limitsOf(recording, config).map((field) => threshold(config[field])));
    row.append(name, track, el("span", "bb-number", token === null ? "" : chance(probability)));
    return row;
  }

  drawHistory(recording, frame, size, position) {
    const events = cellHistory(recording, frame.step, size, position, frame.until);
    const shape = { merge: "merge", sync: "sync", eos: "eos" };
    const items = events.slice(-8).map(({ step, text, type }) => {
      const item = el("li");
      item.append(
        icon(shape[type] ? SHAPES[shape[type]] : "M3 3H7V7H3z", `bb-shape bb-${shape[type] ?? "commit"}`),
        el("span", "", `step ${step + 1}: ${text}`),
      );
      return item;
    });
    this.history.replaceChildren(...(items.length ? items : [el("li", "bb-quiet", "nothing yet")]));
  }
}

function threshold(value) {
  const line = el("u");
  line.style.left = `${Math.min(100 * Number(value), 100)}%`;
  return line;
}

/** The prompt and the text so far: the leader's row, blanks where masked, this step's tokens marked. */
export class TextPanel {
  constructor({ promptText, textTitle, text }) {
    Object.assign(this, { promptText, textTitle, text });
  }

  draw({ recording, frame }) {
    const branch = speaker(recording, frame);
    say(this.promptText, recording.header.prompt);
    say(
      this.textTitle,
      over(recording, frame)
        ? `Final text, from block ${branch.size}`
        : `Text so far, from block ${branch.size}, the leader`,
    );
    this.text.replaceChildren(
      ...this.runs(recording, frame, branch).map(([kind, text]) =>
        el(kind === "new" ? "mark" : "span", `bb-${kind}`, text),
      ),
    );
  }

  /** Neighbouring tokens of one kind joined: [["old" | "new" | "blank", text], ...], up to the end of text. */
  runs(recording, frame, branch) {
    const runs = [];
    const last = branch.token.findLastIndex((token) => token !== MASKED && token !== recording.header.eos_id);
    const end = branch.token.indexOf(recording.header.eos_id);
    for (let p = 0; p <= (end < 0 ? last : end - 1); p += 1) {
      const token = branch.token[p];
      const kind = token === MASKED ? "blank" : branch.since[p] === frame.step ? "new" : "old";
      const text = token === MASKED ? "\u2581" : recording.text(token);
      if (runs.at(-1)?.[0] === kind) runs.at(-1)[1] += text;
      else runs.push([kind, text]);
    }
    return runs.length ? runs : [["blank", "\u2581"]];
  }
}

/** A sentence for the cursor's cell, for those who hear the page. */
export function cursorSentence({ recording, frame, cursor }) {
  const branch = frame.branches.get(cursor.branch);
  if (!branch || frame.step < 0) return "";
  const held = branch.token[cursor.position];
  const what = held === MASKED ? "masked" : quoted(recording, held);
  return `Block ${branch.size}, position ${cursor.position}: ${what}. ${cellSentence(recording, frame, branch, cursor.position)}`;
}
