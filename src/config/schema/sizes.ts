/** Sizes in settings: a number of bytes, or a string such as `512m`. */

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

export const SIZE = /^[0-9]{1,12}(?:\.[0-9]{1,3})?[kKmMgGtT]?[bB]?$/u;

/** Rounds down; undefined when the size is invalid. */
export function bytesOf(size: unknown): number | undefined {
  if (typeof size === 'number') return isBytes(size) ? size : undefined;
  if (typeof size !== 'string' || !SIZE.test(size)) return undefined;
  const unit = /[kmgt]/u.exec(size.toLowerCase())?.[0] ?? '';
  const bytes = Math.floor(Number.parseFloat(size) * (UNITS[unit] ?? 1));
  return isBytes(bytes) ? bytes : undefined;
}

function isBytes(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}
