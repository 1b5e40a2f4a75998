/**
 * Limits control sequences for a terminal model: the values of their parameters, and their cost. The model executes any count
 * literally, so `ESC [ 2147483647 L` would keep its process busy for minutes.
 */

/** In cells. */
export interface ScreenSize {
  readonly cols: number;
  readonly rows: number;
}

/** A sequence for the model, and about how many cells the model touches for it. */
export interface Control {
  readonly text: string;
  readonly cost: number;
}

/** Finals whose parameters are modes, attributes and colours; those of all others are counts and positions. */
const NO_COUNTS: ReadonlySet<string> = new Set('chlmnpqtu');
/** The largest number of a mode or attribute. */
const LARGEST_CODE = 9999;
/** Finals that touch the cursor or the attributes only. */
const CHEAP: ReadonlySet<string> = new Set('ABCDEFGHacdefgmnqrsu`');
/** Finals that touch one line. */
const ONE_LINE: ReadonlySet<string> = new Set('KPX@');
/** Short sequences that touch the cursor or the character set only: `ESC 7`, `ESC ( B`. */
const CHEAP_ESCAPE = /^(?:[78=>\\]|[()*+./-][0-~]|%[@G]| [FG])$/u;
const CHEAP_COST = 8;

/** A sequence with its counts and positions limited to the screen; `parameters` is everything before the final. */
export function controlSequence(parameters: string, final: string, size: ScreenSize): Control {
  const largest = NO_COUNTS.has(final) ? LARGEST_CODE : Math.max(size.cols, size.rows);
  const text = `\u001b[${parameters.replace(/\d+/gu, (digits) => String(Math.min(Number(digits), largest)))}${final}`;
  const times = parameters.split(/[;:]/u).length;
  return { text, cost: times * costOf(final, size) };
}

/** How often `ESC [ … b` repeats the character before it: at most the number of cells of the screen. */
export function repetitions(parameters: string, { cols, rows }: ScreenSize): number {
  return /^\d*$/u.test(parameters) ? Math.min(Math.max(1, Number(parameters)), cols * rows) : 0;
}

/** A sequence without parameters: `ESC`, intermediates and a final. */
export function escapeSequence(rest: string, size: ScreenSize): Control {
  return { text: `\u001b${rest}`, cost: CHEAP_ESCAPE.test(rest) ? CHEAP_COST : screenCost(size) };
}

/** The cost of a control character: a line feed may scroll. */
export function controlCost(character: string, { cols, rows }: ScreenSize): number {
  return character === '\r' || character === '\b' || character === '\t' ? CHEAP_COST : cols + rows;
}

function costOf(final: string, size: ScreenSize): number {
  if (CHEAP.has(final)) return CHEAP_COST;
  return ONE_LINE.has(final) ? size.cols : screenCost(size);
}

/** The cost of inserting or removing every line of the screen, which is the maximum. */
function screenCost({ cols, rows }: ScreenSize): number {
  return rows * (cols + rows);
}
