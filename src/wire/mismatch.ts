/** What is said about a value that has another shape than its schema. */

/** One step down: the name of a member or the index of an entry. */
export type Step = string | number;

/** A value has another shape than was expected. */
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

/** A sentence about a value at a place that has another shape. */
export function mismatchText(place: string, expected: string, value: unknown): string {
  if (value === undefined) return `${place} is missing, and must be ${expected}`;
  const shown = valueText(value);
  return expected.startsWith(shown) && expected !== shown
    ? `${place} must be ${expected}`
    : `${place} must be ${expected}, not ${shown}`;
}

/** A short text may be shown; what is long or nested is named by its kind. */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  return value.length > 60 ? `${JSON.stringify(value.slice(0, 60))}…` : JSON.stringify(value);
}

/** A place such as `edits[0].oldText`, below a root. */
export function placeText(steps: readonly Step[], root = ''): string {
  return steps.reduce<string>(below, root);
}

/** The place one step below another one. */
export function below(at: string, step: Step): string {
  if (typeof step === 'number') return `${at}[${step}]`;
  if (!/^[^\s.[\]"']+$/u.test(step)) return `${at}[${JSON.stringify(step)}]`;
  return at === '' ? step : `${at}.${step}`;
}
