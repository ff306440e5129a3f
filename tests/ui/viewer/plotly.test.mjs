import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { plotly } from "../../../assets/viewer/plotly.mjs";

const scripts = [];

beforeEach(() => {
  scripts.length = 0;
  globalThis.window = {};
  globalThis.document = {
    baseURI: "http://here/app",
    createElement: () => ({ remove: () => {} }),
    head: { append: (script) => scripts.push(script) },
  };
});

/** As long as a page takes to be idle. */
const idle = () => new Promise((act) => setTimeout(act, 5));

test("however many figures wait for it, the script is fetched once", async () => {
  const waiting = [plotly("plotly.js"), plotly("plotly.js")];
  await idle();
  assert.deepEqual(scripts.map(({ src }) => src.href), ["http://here/app/plotly.js"]);
  scripts[0].onload();
  await Promise.all(waiting);
});

test("a copy of this module in another component waits for the same script", async () => {
  const other = await import("../../../assets/viewer/plotly.mjs?copy");
  const waiting = [plotly("plotly.js"), other.plotly("plotly.js")];
  await idle();
  assert.equal(scripts.length, 1);
  scripts[0].onload();
  await Promise.all(waiting);
});

test("what failed is asked for again, but not at once", async () => {
  const failing = plotly("plotly.js");
  await idle();
  mock.timers.enable({ apis: ["setTimeout"] });
  scripts[0].onerror(new Error("no network"));
  await assert.rejects(failing);
  await assert.rejects(plotly("plotly.js"));
  mock.timers.tick(10_000);
  mock.timers.reset();
  const again = plotly("plotly.js");
  await idle();
  assert.equal(scripts.length, 2);
  scripts[1].onload();
  await again;
});

test("where plotly is there, nothing is fetched", async () => {
  window.Plotly = {};
  await plotly("plotly.js");
  await idle();
  assert.equal(scripts.length, 0);
});
