/** Lets the page scroll over a figure: plotly.js takes the wheel and every swipe over a figure in space for itself. */

const LISTENING = { capture: true, passive: true };

/**
 * Hide the wheel, and one finger's swipes up or down, from all that stands in `node`: they scroll the page. Swipes to a
 * side and drags with the mouse still turn the figure. The style sheet must leave the browser the vertical pan.
 */
export function letPageScroll(node) {
  const on = (type, act) => node.addEventListener(type, act, LISTENING);
  let swipe = null; // {x, y} where it began, and once it has moved whether it `scrolls`
  on("wheel", (event) => event.stopPropagation());
  on("touchstart", ({ touches }) => {
    swipe = touches.length === 1 ? { x: touches[0].clientX, y: touches[0].clientY } : null;
  });
  on("touchmove", (event) => {
    if (!swipe) return;
    swipe.scrolls ??= upright(swipe, event.touches[0]);
    if (swipe.scrolls) event.stopPropagation(); // plotly.js would prevent the page from scrolling
  });
}

function upright({ x, y }, { clientX, clientY }) {
  return Math.abs(clientY - y) > Math.abs(clientX - x);
}
