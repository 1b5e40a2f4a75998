/** Values that were typed: JSON where it fits, a text where that does, several texts with commas between them for a list. */
import { Fault } from '../../base/fault.ts';
import { nearestNames } from '../../text/nearest-names.ts';
import { below, mismatchText, placeText, type Step } from '../../wire/mismatch.ts';
import type { Schema, Shape } from '../../wire/schema.ts';
import { forbiddenName } from './read.ts';
import { json5Reader } from './source/json5.ts';

/** How a typed value is to be read. */
export type Reading = 'json' | 'text' | 'either';

type Fit =
  | { readonly fits: true; readonly value: unknown }
  | { readonly fits: false; readonly problems: readonly string[] };

/** The value that a typed text means for a setting; a fault when it means none that fits. `name` is what the message calls it. */
export async function readValue(
  schema: Schema<unknown>,
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
  if (parsed !== undefined) tries.push(tested(schema, name, parsed.value));
  // A text is never a list: what is wrong with its entries is the answer.
  if (reading === 'either' && schema.shape.type === 'array' && parsed === undefined) {
    const entries = typed.split(',').map((entry) => entry.trim());
    tries.push(tested(schema, name, entries));
  } else if (reading !== 'json') tries.push(tested(schema, name, typed));
  const fitting = tries.find((one) => one.fits);
  if (fitting?.fits) return fitting.value;
  const [first] = tries;
  throw new Fault('CONFIG_INVALID', first?.fits === false ? first.problems.join('; ') : `${name} has no value`, {
    hint: advice(schema.shape, typed),
    details: { path: name },
  });
}

/** Whether a value fits a setting whole: what it holds that nobody knows would have no effect. */
function tested(schema: Schema<unknown>, name: string, value: unknown): Fit {
  const problems: string[] = [];
  const at: Step[] = [];
  const checked = schema.read(value, {
    at,
    wrong: (expected, found) => problems.push(mismatchText(placeText(at, name), expected, found)),
    unknown: (member, known) => problems.push(noSuchMember(below(placeText(at, name), member), known)),
  });
  return problems.length === 0 && checked !== undefined ? { fits: true, value } : { fits: false, problems };
}

function noSuchMember(place: string, known: readonly string[]): string {
  return known.length === 0 ? forbiddenName(place) : `there is no setting ${place}; there are ${known.join(', ')}`;
}

async function parsedValue(typed: string): Promise<{ readonly value: unknown } | undefined> {
  const parse = await json5Reader();
  try {
    return { value: parse(typed) };
  } catch {
    return undefined; // a text, then
  }
}

function advice(shape: Shape, typed: string): string {
  const near = shape.type === 'enum' ? nearWord(typed, shape.values.map(String)) : undefined;
  if (near !== undefined) return `did you mean ${near}`;
  if (shape.type === 'array') return 'a list is written a,b or ["a","b"]';
  return shape.description === undefined ? 'pincer config schema shows what fits' : `it says ${shape.description}`;
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
