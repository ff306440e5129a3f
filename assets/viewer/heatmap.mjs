/** Two confidence maps with one cursor: branch x position at this step, and step x position of one branch. */

import { branchFigure, History, historyFigure } from "./figures.mjs";

/** The position under `x`; null outside of the run. */
function positionAt(x, { length }) {
  const position = Math.round(x);
  return position >= 0 && position < length ? position : null;
}

const around = (place) => [place - 0.5, place + 0.5];

/** Branch x position at the shown step. It is also the map of the grids: a box marks the part in view. */
export class BranchMap {
  constructor(plots, node, pick) {
    Object.assign(this, { plots, height: plots.templates.branches.layout.height });
    this.plot = plots.at(node, ({ x, y }) => {
      const branch = this.sizes.find((size) => `block ${size}` === y);
      const position = positionAt(x, this.recording);
      if (branch !== undefined && position !== null) pick(branch, position);
    });
  }

  draw({ recording, frame, cursor }, [first, last]) {
    Object.assign(this, { recording, sizes: frame.ordered.map(({ size }) => size) });
    const row = this.sizes.indexOf(cursor.branch);
    const marks = [{ name: "view", x: [first - 0.5, last - 0.5] }];
    if (row >= 0) marks.push({ name: "cell", x: around(cursor.position), y: around(row) });
    this.plot.draw({
      key: `${recording.key} ${frame.step} ${frame.until}`,
      height: this.height,
      figure: () => branchFigure(this.plots.templates, recording, frame),
      marks,
      ticks: ["xaxis"],
    });
  }
}

/** Step x position of the cursor's branch over the whole run. */
export class HistoryMap {
  constructor(plots, node, pick) {
    Object.assign(this, { plots, height: plots.templates.history.layout.height });
    this.plot = plots.at(node, ({ x, y }) => {
      const [step, position] = [Math.round(y) - 1, positionAt(x, this.history.recording)];
      if (step >= 0 && step < this.history.recording.steps.length && position !== null) pick(step, position);
    });
  }

  draw({ recording, frame, cursor }) {
    const { steps } = recording;
    if (this.history?.recording !== recording || this.history.branch !== cursor.branch)
      this.history = new History(recording, cursor.branch);
    const { history } = this;
    this.plot.draw({
      key: `${recording.key} ${steps.length} ${cursor.branch}`,
      height: this.height,
      figure: () => historyFigure(this.plots.templates, recording, history.grown()),
      marks: [
        { name: "ahead", y: [frame.step + 1.5, steps.length + 0.5] },
        { name: "row", y: around(frame.step + 1) },
        { name: "cell", x: around(cursor.position), y: around(frame.step + 1) },
      ],
      ticks: ["xaxis", "yaxis"],
    });
  }
}
