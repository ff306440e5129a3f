/** The ways to zoom the token grids: buttons, ctrl or cmd and the wheel, two fingers. */

import { wheelFactor } from "./zoom.mjs";

/** Let the buttons and `surfaces` (elements in whose columns the grid stands) zoom `grid`; `changed()` after it. */
export function wireZoom({ zoomOut, zoomIn }, surfaces, grid, changed) {
  const step = (direction) => {
    grid.zoomStep(direction);
    changed();
  };
  zoomOut.addEventListener("click", () => step(-1));
  zoomIn.addEventListener("click", () => step(1));
  const by = (factor, clientX) => {
    grid.zoomBy(factor, clientX - grid.scroll.getBoundingClientRect().left);
    changed();
  };
  for (const surface of surfaces) {
    surface.addEventListener("wheel", (event) => turn(event, by), { passive: false });
    new Pinch(surface, by);
  }
}

/** A pinch on a trackpad arrives as a wheel with ctrl, too. */
function turn(event, by) {
  if (!event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  by(wheelFactor(event), event.clientX);
}

/** Two fingers on a touch screen. */
class Pinch {
  constructor(surface, by) {
    this.by = by;
    const options = { passive: false };
    surface.addEventListener("touchstart", (event) => this.move(event, false), options);
    surface.addEventListener("touchmove", (event) => this.move(event, true), options);
  }

  move(event, zooms) {
    if (event.touches.length !== 2) return;
    event.preventDefault();
    const [one, other] = event.touches;
    const apart = Math.max(Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY), 1);
    if (zooms) this.by(apart / this.apart, (one.clientX + other.clientX) / 2);
    this.apart = apart;
  }
}
