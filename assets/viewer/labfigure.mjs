/** A plotly figure as the server made it, in the colours and fonts of the page and as wide as its place. */

const AXIS = /^[xyz]axis\d*$/;
const SCENE = /^scene\d*$/;
const TICKS_APART = 70; // pixels, at least, between the ticks of an axis that is drawn on a phone

/** `figure` {data, layout}, untouched, `width` pixels wide in `colours` (see `palette`). */
export function figureIn({ data, layout }, colours, width) {
  const font = { family: colours.sans, size: 11, ...layout.font, color: colours.dim };
  return {
    data: data.map((trace) => inColours(trace, colours)),
    layout: {
      ...withAxes(layout, colours, width),
      width,
      font,
      ...(layout.annotations && { annotations: layout.annotations.map((note) => ({ ...note, font: { ...font, ...note.font } })) }),
      hoverlabel: { bgcolor: colours.panel, bordercolor: colours.line, font: { ...font, color: colours.ink } },
    },
  };
}

/** A trace whose `meta.colour` names a colour of the page takes that shade of it. */
function inColours(trace, colours) {
  const colour = colours[trace.meta?.colour];
  if (!colour) return trace;
  if (trace.type === "heatmap") return { ...trace, colorscale: [0, 1].map((end) => [end, colour]) };
  const line = trace.line && { line: { ...trace.line, color: colour } };
  const marker = trace.marker && { marker: { ...trace.marker, color: colour } };
  return { ...trace, ...line, ...marker };
}

function withAxes(layout, colours, width) {
  const dressed = Object.entries(layout).map(([name, part]) => {
    if (AXIS.test(name)) return [name, axis(part, colours, name.startsWith("x") ? width : null)];
    return [name, SCENE.test(name) ? withAxes(part, colours, width) : part];
  });
  return Object.fromEntries(dressed);
}

function axis(part, colours, width) {
  const few = width && !part.tickvals && !part.dtick && { nticks: Math.max(Math.floor(width / TICKS_APART), 3) };
  return { ...few, ...part, gridcolor: colours.line, linecolor: colours.line, zerolinecolor: colours.line };
}
