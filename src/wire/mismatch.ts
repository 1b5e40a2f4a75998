/** Messages about values that do not match their schema. */

/** The name of a member or the index of an entry. */
export type Step = string | number;

export class Mismatch extends Error {
  /** Such as `params.request.timeout`. */
  readonly place: string;
  readonly expected: string;

  constructor(place: string, expected: string, value: unknown) {
    super(mismatchText(place, expected, value));
    this.name = 'Mismatch';
    this.place = place;
    this.expected = expected;
  }
}

export function mismatchText(place: string, expected: string, value: unknown): string {
  if (value === undefined) return `${place} is missing, and must be ${expected}`;
  const shown = valueText(value);
  return expected.startsWith(shown) && expected !== shown
    ? `${place} must be ${expected}`
    : `${place} must be ${expected}, not ${shown}`;
}

/** Shortens long strings, and names objects and arrays by their type. */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  return value.length > 60 ? `${JSON.stringify(value.slice(0, 60))}…` : JSON.stringify(value);
}

/** Such as `edits[0].oldText`, below a root. */
export function placeText(steps: readonly Step[], root = ''): string {
  return steps.reduce<string>(below, root);
}

export function below(at: string, step: Step): string {
  if (typeof step === 'number') return `${at}[${step}]`;
  if (!/^[^\s.[\]"']+$/u.test(step)) return `${at}[${JSON.stringify(step)}]`;
  return at === '' ? step : `${at}.${step}`;
}
