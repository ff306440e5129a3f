// What the measurements run in the page. Each is one function, taken from here by its name.

/** Scrub through the run one step a frame; the viewer's work in each frame in ms: its handler, then its drawing. */
async function scrub(count) {
  const scrubber = document.querySelector("[data-part=scrub]");
  const frame = (act) => new Promise((resolve) => requestAnimationFrame(() => resolve(act())));
  const task = () => new Promise((resolve) => setTimeout(resolve));
  const now = () => performance.now();
  const work = [];
  for (let n = 0; n < count; n += 1) {
    scrubber.value = n % (Number(scrubber.max) + 1);
    const began = frame(now); // asked for before the viewer asks for its frame, so it comes before the drawing
    const before = now();
    scrubber.dispatchEvent(new Event("input", { bubbles: true }));
    const handled = now() - before;
    const ended = frame(now);
    work.push(handled + (await ended) - (await began));
    await frame(() => null);
    await task(); // that frame is over: no drawing that was still to come in it takes up the next step unmeasured
  }
  return work;
}

/** Note when the page first shows a step, in ms since the navigation began. */
function firstPaint() {
  const look = () => {
    const shown = document.querySelector("[data-part=count]")?.textContent.startsWith("step");
    if (shown) window.firstPaint = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** Note when each live step has been drawn, in ms of the clock: [[step, time], ...] in `window.drawn`. */
function watchSteps() {
  window.drawn = [];
  let seen = 0;
  const look = () => {
    const live = document.querySelector("[data-part=status]").textContent === "live";
    const step = Number(document.querySelector("[data-part=count]").textContent.match(/\d+/)?.[0]);
    if (!live || !(step > seen || window.drawn.length === 0)) return;
    for (let n = seen + 1; n <= step; n += 1) window.drawn.push([n, performance.timeOrigin + performance.now()]);
    seen = step;
  };
  // A mutation is reported when the drawing that made it is over.
  new MutationObserver(look).observe(document.querySelector("[data-part=count]"), { childList: true, characterData: true, subtree: true });
}

/** Note as `window.ran` that a run has begun, which shows as a Run button that cannot be pressed. */
function watchRun() {
  const button = document.querySelector("#bb-run");
  const watcher = new MutationObserver(() => {
    if (!button.disabled) return;
    window.ran = true;
    watcher.disconnect();
  });
  window.ran = false;
  watcher.observe(button, { attributes: true });
}
