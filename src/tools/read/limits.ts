/** Limits of one read. A model with a small context window gets less, so that one file does not fill it. */

export interface PageLimits {
  readonly lines: number;
  /** The UTF-8 bytes of the answer. */
  readonly bytes: number;
  /** The characters of the answer; a character that costs a whole token counts as four. */
  readonly weight: number;
}

const PAGE_LINES = 2000;
const PAGE_BYTES = 50 * 1024;
/** A known window joins up to this many pages. */
const MOST_PAGES = 4;
const CHARS_PER_TOKEN = 4;
/** The target and the maximum share of the window for one answer. */
const TARGET_SHARE = 0.1;
const MAX_SHARE = 0.3;
const LEAST_BYTES = 32 * 1024;
const MOST_BYTES = 128 * 1024;

/** For an unknown window, the limits of one page. */
export function pageLimits(windowTokens: number | undefined): PageLimits {
  if (windowTokens === undefined || !(windowTokens > 0))
    return { lines: PAGE_LINES, bytes: PAGE_BYTES, weight: Number.POSITIVE_INFINITY };
  const chars = windowTokens < 100_000 ? 16_000 : windowTokens < 200_000 ? 32_000 : 64_000;
  return {
    lines: PAGE_LINES * MOST_PAGES,
    bytes: clamp(Math.floor(windowTokens * CHARS_PER_TOKEN * TARGET_SHARE), LEAST_BYTES, MOST_BYTES),
    weight: Math.max(1, Math.min(chars, Math.floor(windowTokens * CHARS_PER_TOKEN * MAX_SHARE))),
  };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** Chinese, Japanese, Korean and other characters that cost about one token each. */
const HEAVY = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\u{20000}-\u{3ffff}]/gu;

export function weightOf(text: string): number {
  return text.length + (CHARS_PER_TOKEN - 1) * (text.match(HEAVY)?.length ?? 0);
}

/** `512B`, `50.0KB`, `1.4GB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(1)}${UNITS[unit]}`;
}

const UNITS = ['KB', 'MB', 'GB', 'TB'];
