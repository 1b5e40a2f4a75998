/**
 * What the terminal of the page obeys: sequences that draw, move the cursor or set a mode. Everything else is dropped: requests
 * (the gateway answers them), titles, links, the clipboard, colours of the palette, window operations.
 */
import type { SequenceFilter } from '../../../../base/terminal/terminal-feed.ts';

/** Cursor, erase, insert, delete, scroll, tabs, attributes, margins, ANSI modes. */
const DRAWING = new Set('@ABCDEFGHIJKLMPSTXZ`adefghlmrsu');
/** With `?`: DEC modes, selective erase. */
const PRIVATE = new Set('hlJK');
const NUMBERS = /^[\d;:]*$/u;
/** The shape of the cursor: `ESC [ 2 SP q`. Soft reset: `ESC [ ! p`. */
const WITH_INTERMEDIATE = /^(?:\d* q|!p)$/u;
/** Save and restore the cursor, keypad modes, reset, line feeds, tab stop, shifts, character sets, screen alignment. */
const ESCAPE = /^(?:[78=>cDEHMno|}~]|[()*+./-][%"&]?[0-~]|#8)$/u;

export const DRAWING_SEQUENCES: SequenceFilter = {
  control(parameters, final) {
    if (NUMBERS.test(parameters)) return DRAWING.has(final);
    if (parameters.startsWith('?') && NUMBERS.test(parameters.slice(1))) return PRIVATE.has(final);
    return WITH_INTERMEDIATE.test(parameters + final);
  },
  escape: (rest) => ESCAPE.test(rest),
  strings: false,
};
