/** A plotly figure as the server made it, in the colours and fonts of the page and as wide as its place. */

const AXIS = /^[xyz]axis\d*$/;
const SCENE = /^scene\d*$/;
const TINTED = /color:(#[0-9a-f]{6})/gi; // in the markup of an annotation
const TICKS_APART = 70; // pixels, at least, between the ticks of an axis that is drawn on a phone
const AROUND = 80; // pixels of a figure's width that are no plot
const [LETTER, GAP] = [6.2, 10]; // pixels: a letter of a tick is so wide, and its words are so far apart

/** `figure` {data, layout}, untouched, `width` pixels wide in `colours` (see `palette`). */
export function figureIn({ data, layout }, colours, width) {
  const own = structuredClone(layout); // plotly writes a zoom into what it is given
  const font = { family: colours.sans, size: 11, ...own.font, color: colours.dim };
  return {
    data: data.map((trace) => inColours(trace, colours)),
    layout: {
      ...withAxes(own, colours, width),
      width,
      font,
      paper_bgcolor: colours.panel, // a picture of it is to be read wherever it is put
      uirevision: `${own.uirevision} ${data.map(({ type, name }) => `${type} ${name}`).join()}`,
      ...(own.annotations && { annotations: notes(own.annotations, font, shadesOf(data, colours)) }),
      hoverlabel: { bgcolor: colours.panel, bordercolor: colours.line, font: { ...font, color: colours.ink } },
    },
  };
}

/** A trace whose `meta.colour` names a colour of the page takes that shade of it; words and frames take the page's. */
function inColours(trace, colours) {
  const colour = colours[trace.meta?.colour];
  const bar = trace.colorbar && { colorbar: { ...trace.colorbar, outlinecolor: colours.line } };
  if (trace.type === "heatmap") return { ...trace, ...bar, ...(colour && { colorscale: [0, 1].map((end) => [end, colour]) }) };
  const line = colour && trace.line && { line: { ...trace.line, color: colour } };
  const marker = colour && trace.marker && { marker: { ...trace.marker, color: colour } };
  const textfont = trace.textfont && { textfont: { ...trace.textfont, color: colours.dim } };
  return { ...trace, ...line, ...marker, ...textfont };
}

/** By the shade that the server gave a trace, the one that it has on the page. */
function shadesOf(data, colours) {
  const named = data.filter(({ meta, marker }) => colours[meta?.colour] && typeof marker?.color === "string");
  return new Map(named.map(({ meta, marker }) => [marker.color.toLowerCase(), colours[meta.colour]]));
}

/** Annotations in the page's `font`; words in the colour of a trace keep to it. */
function notes(annotations, font, shades) {
  return annotations.map((note) => ({
    arrowcolor: font.color,
    ...note,
    text: note.text?.replace(TINTED, (own, shade) => `color:${shades.get(shade.toLowerCase()) ?? shade}`),
    font: { ...font, ...note.font },
  }));
}

function withAxes(layout, colours, width) {
  const dressed = Object.entries(layout).map(([name, part]) => {
    if (AXIS.test(name)) return [name, { ...axis(part, colours), ...(name.startsWith("x") && ticks(part, width)) }];
    return [name, SCENE.test(name) ? inSpace(part, colours) : part];
  });
  return Object.fromEntries(dressed);
}

function inSpace(scene, colours) {
  const axes = Object.entries(scene).filter(([name]) => AXIS.test(name));
  const dressed = axes.map(([name, part]) => [name, { spikecolor: colours.dim, ...axis(part, colours) }]);
  return { ...scene, ...Object.fromEntries(dressed) };
}

function axis(part, colours) {
  return { ...part, gridcolor: colours.line, linecolor: colours.line, zerolinecolor: colours.line };
}

/** As many ticks as there is room for: of those that are given every second, every third and so on. */
function ticks({ tickvals, ticktext = tickvals, dtick, nticks }, width) {
  if (!tickvals) return dtick || nticks ? {} : { nticks: Math.max(Math.floor(width / TICKS_APART), 3) };
  const longest = Math.max(...ticktext.map((words) => String(words).length));
  const every = Math.ceil((tickvals.length * (LETTER * longest + GAP)) / Math.max(width - AROUND, 1));
  const kept = (_, index) => index % every === 0;
  return { tickvals: tickvals.filter(kept), ticktext: ticktext.filter(kept) };
}
