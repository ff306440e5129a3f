/** plotly.js, which comes with the server's plotly and is loaded when the first figure is wanted, for it is large. */

export const FAILED = "This figure needs plotly.js, which could not be loaded.";
const PAUSE = 10_000; // milliseconds after a failure in which it is not asked for again

/**
 * Resolves once `window.Plotly` is there; `source` is its address below the server's root. It rejects where that cannot
 * be loaded, and tries again when it is called a while later.
 */
export async function plotly(source) {
  if (window.Plotly) return;
  // Each component of the page has its own copy of this module, so what they wait for lies where all of them see it.
  window.blockbatchPlotly ??= loaded(source);
  await window.blockbatchPlotly;
}

/** The script at `source`, once it has run; it starts when the page has nothing better to do. */
async function loaded(source) {
  await new Promise((act) => (window.requestIdleCallback ?? setTimeout)(act));
  const root = window.gradio_config?.root ?? document.baseURI;
  const src = new URL(source, root.endsWith("/") ? root : `${root}/`);
  const script = Object.assign(document.createElement("script"), { src, async: true });
  const done = new Promise((resolve, reject) => Object.assign(script, { onload: resolve, onerror: reject }));
  done.catch(() => forget(script));
  document.head.append(script);
  await done;
}

function forget(script) {
  script.remove();
  setTimeout(() => delete window.blockbatchPlotly, PAUSE);
}
