/** Draws once per frame, however many messages arrive in between, and at once after what a person did. */
import { options } from 'preact';

/** A hidden tab has no frames, and still must change its title. */
const HIDDEN_MS = 100;
/** The next key must reach what this one opened: the first letter of a reason is for the field, and never an answer. */
const DONE_BY_PERSON = ['keydown', 'click', 'input', 'change'];

export function drawOncePerFrame(): void {
  let drawNow = (): void => {};
  options.debounceRendering = (draw) => {
    drawNow = draw;
    if (document.visibilityState === 'visible') requestAnimationFrame(draw);
    else setTimeout(draw, HIDDEN_MS);
  };
  // On the window and without `capture`, so that the handlers of the page have run.
  for (const type of DONE_BY_PERSON) addEventListener(type, () => drawNow());
  // A frame that was asked for in a tab that is now hidden does not come.
  document.addEventListener('visibilitychange', () => drawNow());
}
