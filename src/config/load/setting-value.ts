/** Parses values from the command line and the environment: JSON, a plain string, or a comma-separated list. */
import { Fault } from '../../base/fault.ts';
import { nearestNames } from '../../text/nearest-names.ts';
import { below, mismatchText, placeText, type Step } from '../../wire/mismatch.ts';
import type { Schema, Shape } from '../../wire/schema.ts';
import { forbiddenName } from './read.ts';
import { loadJson5Parser } from './source/json5.ts';

export type ValueFormat = 'json' | 'text' | 'either';

type Attempt =
  | { readonly valid: true; readonly value: unknown }
  | { readonly valid: false; readonly problems: readonly string[] };

/** Throws when the value does not match the schema. `name` is the setting in messages. */
export async function parseSettingValue(
  schema: Schema<unknown>,
  name: string,
  typed: string,
  format: ValueFormat,
): Promise<unknown> {
  const parsed = format === 'text' ? undefined : await tryParse(typed);
  if (format === 'json' && parsed === undefined)
    throw new Fault('CONFIG_INVALID', `the value of ${name} is not valid JSON: ${shortened(typed)}`, {
      hint: `write a string as '"text"', or omit --json`,
    });
  const attempts: Attempt[] = [];
  if (parsed !== undefined) attempts.push(validate(schema, name, parsed.value));
  // A string is never a list, so the problems of the entries are the useful message.
  if (format === 'either' && schema.shape.type === 'array' && parsed === undefined) {
    const entries = typed.split(',').map((entry) => entry.trim());
    attempts.push(validate(schema, name, entries));
  } else if (format !== 'json') attempts.push(validate(schema, name, typed));
  const valid = attempts.find((one) => one.valid);
  if (valid?.valid) return valid.value;
  const [first] = attempts;
  throw new Fault('CONFIG_INVALID', first?.valid === false ? first.problems.join('; ') : `${name} has no value`, {
    hint: advice(schema.shape, typed),
    details: { path: name },
  });
}

/** Unknown members are problems too: they would have no effect. */
function validate(schema: Schema<unknown>, name: string, value: unknown): Attempt {
  const problems: string[] = [];
  const at: Step[] = [];
  const checked = schema.read(value, {
    at,
    wrong: (expected, found) => problems.push(mismatchText(placeText(at, name), expected, found)),
    unknown: (member, known) => problems.push(unknownMember(below(placeText(at, name), member), known)),
  });
  return problems.length === 0 && checked !== undefined ? { valid: true, value } : { valid: false, problems };
}

function unknownMember(place: string, known: readonly string[]): string {
  return known.length === 0 ? forbiddenName(place) : `unknown setting ${place}; settings: ${known.join(', ')}`;
}

async function tryParse(typed: string): Promise<{ readonly value: unknown } | undefined> {
  const parse = await loadJson5Parser();
  try {
    return { value: parse(typed) };
  } catch {
    return undefined; // a plain string
  }
}

function advice(shape: Shape, typed: string): string {
  const near = shape.type === 'enum' ? nearestValue(typed, shape.values.map(String)) : undefined;
  if (near !== undefined) return `did you mean ${near}`;
  switch (shape.type) {
    case 'array':
      return 'write a list as a,b or ["a","b"]';
    case 'enum':
      return `write one of ${shape.values.join(', ')}`;
    case 'boolean':
      return 'write true or false';
    case 'integer':
    case 'number':
      return 'write a number in this range, without a unit';
    default:
      return 'pincer config schema shows the valid values';
  }
}

const MEANS_ON = /^(?:on|true|yes|enabled?)$/iu;

/** Never proposes `off` to a user who typed `on` or the like, although `off` is the nearest spelling. */
function nearestValue(typed: string, values: readonly string[]): string | undefined {
  if (!MEANS_ON.test(typed) || !values.includes('off')) return nearestNames(typed, values)[0];
  const others = values.filter((value) => value !== 'off');
  return nearestNames(typed, others)[0] ?? others.at(-1);
}

function shortened(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
