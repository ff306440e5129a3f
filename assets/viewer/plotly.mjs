/** plotly.js, which comes with the server's plotly and is loaded when the first figure is wanted, for it is large. */

export const FAILED = "This figure needs plotly.js, which could not be loaded.";

let loading = null;

/** Resolves once `window.Plotly` is there; `source` is its address below the server's root. */
export async function plotly(source) {
  if (window.Plotly) return;
  loading ??= loaded(source);
  await loading;
}

/** The script at `source`, once it has run; it starts when the page has nothing better to do. */
async function loaded(source) {
  await new Promise((act) => (window.requestIdleCallback ?? setTimeout)(act));
  const root = window.gradio_config?.root ?? document.baseURI;
  const src = new URL(source, root.endsWith("/") ? root : `${root}/`);
  const script = Object.assign(document.createElement("script"), { src, async: true });
  const done = new Promise((resolve, reject) => Object.assign(script, { onload: resolve, onerror: reject }));
  document.head.append(script);
  await done;
}
