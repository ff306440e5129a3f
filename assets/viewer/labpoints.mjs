/** The points of a figure of the lab as a list, for those who cannot hover over them or click on them. */

const FIELD = /%\{(\w+)(?:\[(\d+)\])?(?::\.(\d)f)?\}/g; // as in the templates of `ui.studies`
const ENTITIES = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/**
 * {place, words} for each point that can be picked. `place` is what the figure's `customdata` names: [number] where
 * `points` tells of them by their numbers, else [step from 1, branch, position], steps in order. `words` are those that
 * show on hover, as plain text.
 */
export function listed({ figure, points }) {
  if (points) return Object.entries(points).map(([number, { says }]) => ({ place: [Number(number)], words: says }));
  const found = new Map(figure?.data.flatMap(pointsOf).map((point) => [point.words, point]));
  return [...found.values()].sort((a, b) => a.place[0] - b.place[0]);
}

function pointsOf({ type, hovertemplate, customdata, text, hovertext, x, y }) {
  if (!customdata || !hovertemplate) return [];
  const point = (values) => ({ place: values.customdata.slice(0, 3), words: worded(hovertemplate, values) });
  const single = (own, n) => x[n] !== null && point({ customdata: own, hovertext: hovertext?.[n], x: x[n], y: y[n] });
  if (type !== "heatmap") return customdata.map(single).filter(Boolean);
  const row = (cells, n) => cells.map((own, p) => own && point({ customdata: own, text: text[n][p], x: p, y: y[n] }));
  return customdata.flatMap(row).filter(Boolean);
}

/** What plotly makes of a hover template, as plain text in one line. */
function worded(template, values) {
  const told = template.replace(FIELD, (_, name, index, digits) => {
    const value = index === undefined ? values[name] : values[name][index];
    return digits === undefined ? String(value ?? "") : value.toFixed(digits);
  });
  const lines = told.replace(/<extra>.*<\/extra>/, "").split("<br>").filter(Boolean);
  return lines.join("; ").replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity]);
}
