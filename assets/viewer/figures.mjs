/**
 * The figures of ui/figures.py, made here from the trace that the page holds, so that no step asks the server.
 *
 * The server gives `templates`, which are those figures of no run at all: what everything looks like and is called.
 * These functions fill in the arrays, and a test compares the result with what Python makes of the same trace.
 */

import { Frame, MASKED } from "./fold.mjs";
import { visible } from "./pieces.mjs";
import { MARKS } from "./recording.mjs";

const LANE = 24;
const AROUND = 40;
const LEAST = 0.08;
const MORE = 0.34;
const MARK = 0.66;
const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const WORDS = new WeakMap(); // by recording: the words of each token, made once

/** The slot of each step on an axis, {start, width}: step n (from 1) around n, or in seconds spent. */
export function slotsOf(steps, axis) {
  if (axis === "step") return steps.map((step) => ({ start: step.index + 0.5, width: 1 }));
  let end = 0;
  return steps.map(({ milliseconds: { forward, consensus, recording } }) => {
    const width = (forward + consensus + recording) / 1000;
    end += width;
    return { start: end - width, width };
  });
}

/** The step (from 0) whose slot holds `x`; null outside of all. */
export function stepAt(slots, x) {
  const found = slots.findIndex(({ start, width }) => x >= start && x < start + width);
  return found < 0 ? null : found;
}

/** [from, to] of an axis that shows all of `recordings`; a live one leaves room, and so its axis seldom changes. */
export function extentOf(recordings, axis, live) {
  const ends = recordings.map(({ steps }) => steps.length && endOf(slotsOf(steps, axis)));
  const end = Math.max(...ends);
  const from = axis === "step" ? 0.5 : 0;
  if (!end) return [0, 1];
  return [from, live ? Math.max(axis === "step" ? 16.5 : 0, from + 2 ** Math.ceil(Math.log2(end - from))) : end];
}

function endOf(slots) {
  const { start, width } = slots.at(-1);
  return start + width;
}

/** Every branch that ever took part, by block size. */
export function branchesOf(steps) {
  return [...new Set(steps.flatMap((step) => step.branches.map(({ branch }) => branch)))].sort((a, b) => a - b);
}

/** The pixels that a timeline with this many branches is high. */
export function heightOf(branches) {
  return AROUND + LANE * (branches + 1);
}

/** A lane of events above a lane for each branch, as `ui.figures.timeline`; `extent` is the axis where it is given. */
export function timelineFigure(templates, recording, axis, extent = extentOf([recording], axis, false)) {
  const branches = branchesOf(recording.steps);
  const feet = new Map(branches.map((branch, row) => [branch, branches.length - 1 - row]));
  const slots = slotsOf(recording.steps, axis);
  const data = [barArrays(recording.steps, feet, slots), ...MARKS.map((kind) => markArrays(recording, kind, feet, slots))];
  const ticks = [branches.length, ...feet.values()];
  return filled(templates[axis], data, {
    uirevision: `${recording.header.run} ${axis}`,
    height: heightOf(branches.length),
    xaxis: { range: extent },
    yaxis: {
      range: [0, ticks.length],
      minor: { tickvals: ticks },
      tickvals: ticks.map((foot) => foot + 0.5),
      ticktext: ["events", ...branches.map((branch) => `block ${branch}`)],
    },
  });
}

/** {step, branch, count, position} for each step and branch that committed anything, `position` being the first. */
export function barsOf(steps) {
  return steps.flatMap((step) => {
    const bars = new Map();
    for (const { type, branch, position } of step.events) {
      if (type !== "commit") continue;
      const bar = bars.get(branch) ?? { step: step.index, branch, count: 0, position };
      bar.count += 1;
      bars.set(branch, bar);
    }
    return [...bars.values()].sort((a, b) => a.branch - b.branch);
  });
}

function barArrays(steps, feet, slots) {
  const bars = barsOf(steps);
  const most = bars.reduce((best, { count }) => Math.max(best, count), 1);
  return {
    x: bars.map(({ step }) => slots[step].start + slots[step].width / 2),
    width: bars.map(({ step }) => slots[step].width / 2),
    base: bars.map(({ branch }) => feet.get(branch)),
    y: bars.map(({ count }) => LEAST + (MORE * Math.log2(1 + count)) / Math.log2(1 + most)),
    customdata: bars.map(({ step, branch, position, count }) => [step + 1, branch, position, count]),
  };
}

function markArrays({ marks }, kind, feet, slots) {
  const own = marks.filter((mark) => mark.kind === kind);
  return {
    x: own.map(({ step, aside }) => slots[step].start + (0.5 + aside) * slots[step].width),
    y: own.map(({ lane }) => (lane === null ? feet.size + 0.5 : MARK + feet.get(lane))),
    customdata: own.map(({ step, branch, position }) => [step + 1, branch, position]),
    text: own.map(({ words }) => escaped(words)),
  };
}

/** Confidence by branch and position in a frame, as `ui.figures.branch_heatmap`. */
export function branchFigure(templates, recording, frame) {
  const names = frame.ordered.map(({ size }) => `block ${size}`);
  const rows = frame.ordered.map((branch) => cellRow(recording, branch));
  const yaxis = { categoryarray: names, range: [names.length - 0.5, -0.5] };
  return heatmap(templates.branches, recording, rows, names, { yaxis });
}

/** Confidence by step and position of a branch, as `ui.figures.history_heatmap`; `rows` are those of a `History`. */
export function historyFigure(templates, recording, rows) {
  const steps = rows.map((_, index) => index + 1);
  return heatmap(templates.history, recording, rows, steps, { yaxis: { range: [rows.length + 0.5, 0.5] } });
}

/** The cells of one branch of a run after each step. It is kept while the run grows, so that only new steps are read. */
export class History {
  constructor(recording, branch) {
    Object.assign(this, { recording, branch, frame: new Frame(recording.header), rows: [] });
  }

  /** Take in the steps that came since; all rows. */
  grown() {
    for (const step of this.recording.steps.slice(this.rows.length)) {
      this.frame.apply(step);
      this.rows.push(cellRow(this.recording, this.frame.branches.get(this.branch)));
    }
    return this.rows;
  }
}

/** A value in one of two rows for each cell that holds a token or has a candidate; all null without a branch. */
function cellRow(recording, branch) {
  const empty = () => new Array(recording.length).fill(null);
  const row = { written: empty(), tokens: empty(), candidate: empty(), drafts: empty() };
  branch?.token.forEach((token, p) => {
    if (token !== MASKED) {
      row.written[p] = branch.confidence[p];
      row.tokens[p] = tokenWords(recording, token);
    } else if (branch.draft[p] !== MASKED) {
      row.candidate[p] = branch.draftConfidence[p];
      row.drafts[p] = tokenWords(recording, branch.draft[p]);
    }
  });
  return row;
}

function heatmap(template, recording, rows, y, axes) {
  const data = [
    { z: rows.map((row) => row.written), text: rows.map((row) => row.tokens), y },
    { z: rows.map((row) => row.candidate), text: rows.map((row) => row.drafts), y },
  ];
  const xaxis = { range: [-0.5, recording.length - 0.5] };
  return filled(template, data, { uirevision: recording.header.run, xaxis, ...axes });
}

/** A token in quotes; plotly reads a few HTML tags, and what is in a token must stay text. */
function tokenWords(recording, token) {
  if (token === recording.header.eos_id) return "the end-of-text token";
  if (!WORDS.has(recording)) WORDS.set(recording, new Map());
  const known = WORDS.get(recording);
  if (!known.has(token)) known.set(token, `\u201c${escaped(visible(recording.text(token)))}\u201d`);
  return known.get(token);
}

function escaped(text) {
  return text.replace(/[&<>]/g, (character) => ESCAPES[character]);
}

/** A copy of a template with its arrays and its axes; the template stays as it is. */
function filled({ data, layout }, arrays, { xaxis, yaxis, ...own }) {
  return {
    data: data.map((trace, index) => ({ ...trace, ...arrays[index] })),
    layout: {
      ...layout,
      ...own,
      xaxis: { ...layout.xaxis, ...xaxis },
      yaxis: { ...layout.yaxis, ...yaxis, ...(yaxis.minor && { minor: { ...layout.yaxis.minor, ...yaxis.minor } }) },
    },
  };
}
