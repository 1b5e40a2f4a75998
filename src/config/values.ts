/** Values that were typed: JSON where it fits, a text where that does, several texts with commas between them for a list. */
import { Fault } from '../base/fault.ts';
import { nearestNames } from '../text/nearest-names.ts';
import type { Check } from './shape.ts';
import { json5Reader } from './source/json5.ts';

/** How a typed value is to be read. */
export type Reading = 'json' | 'text' | 'either';

type Fit =
  | { readonly fits: true; readonly value: unknown }
  | { readonly fits: false; readonly problems: readonly string[] };

/** The value that a typed text means for a setting; a fault when it means none that fits. `name` is what the message calls it. */
export async function readValue(
  check: Check<unknown>,
  name: string,
  typed: string,
  reading: Reading,
): Promise<unknown> {
  const parsed = reading === 'text' ? undefined : await parsedValue(typed);
  if (reading === 'json' && parsed === undefined)
    throw new Fault('CONFIG_INVALID', `the value of ${name} is no JSON: ${shortened(typed)}`, {
      hint: `a text is written '"text"'; without --json it may stand as it is`,
    });
  const tries: Fit[] = [];
  if (parsed !== undefined) tries.push(tested(check, name, parsed.value));
  // A text is never a list: what is wrong with its entries is the answer.
  if (reading === 'either' && check.shape.type === 'list' && parsed === undefined) {
    const entries = typed.split(',').map((entry) => entry.trim());
    tries.push(tested(check, name, entries));
  } else if (reading !== 'json') tries.push(tested(check, name, typed));
  const fitting = tries.find((one) => one.fits);
  if (fitting?.fits) return fitting.value;
  const [first] = tries;
  throw new Fault('CONFIG_INVALID', first?.fits === false ? first.problems.join('; ') : `${name} has no value`, {
    hint: advice(check, typed),
    details: { path: name },
  });
}

/** Whether a value fits a setting whole: what it holds that nobody knows would have no effect. */
function tested(check: Check<unknown>, name: string, value: unknown): Fit {
  const problems: string[] = [];
  const checked = check(value, name, {
    wrong: (_, message) => problems.push(message),
    unknown: (at, known) => problems.push(`there is no setting ${at}; there are ${known.join(', ')}`),
  });
  return problems.length === 0 && checked !== undefined ? { fits: true, value } : { fits: false, problems };
}

async function parsedValue(typed: string): Promise<{ readonly value: unknown } | undefined> {
  const parse = await json5Reader();
  try {
    return { value: parse(typed) };
  } catch {
    return undefined; // a text, then
  }
}

function advice({ shape, about }: Check<unknown>, typed: string): string {
  const near = shape.type === 'word' ? nearWord(typed, shape.words) : undefined;
  if (near !== undefined) return `did you mean ${near}`;
  if (shape.type === 'list') return 'a list is written a,b or ["a","b"]';
  return about === undefined ? 'pincer config schema shows what fits' : `it says ${about.summary}`;
}

const MEANS_ON = /^(?:on|true|yes|enabled?)$/iu;

/** The word that was probably meant. Whoever switches something on never means `off`, however alike the letters are. */
function nearWord(typed: string, words: readonly string[]): string | undefined {
  if (!MEANS_ON.test(typed) || !words.includes('off')) return nearestNames(typed, words)[0];
  const others = words.filter((word) => word !== 'off');
  return nearestNames(typed, others)[0] ?? others.at(-1);
}

function shortened(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
