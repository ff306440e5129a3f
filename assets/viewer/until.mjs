/** Asking again for what may have been lost on its way to the server or back. */

const PAUSE = 2000; // milliseconds

/** Call `ask` now and, as long as `settled()` is false, again after each pause. */
export function askUntil(settled, ask) {
  if (settled()) return;
  ask();
  setTimeout(() => askUntil(settled, ask), PAUSE);
}
