/** All settings as a list, and lookup by name. */
import { Fault } from '../../base/fault.ts';
import { nearestNames } from '../../text/nearest-names.ts';
import { PROTOTYPE_NAME, type Schema, type Shape } from '../../wire/schema.ts';
import { configFile } from './schema.ts';
import { below, END, formatSettingPath, parseSettingPath, type Step } from './setting-path.ts';

/** A leaf of the schema. */
export interface Setting {
  readonly steps: readonly string[];
  readonly path: string;
  readonly schema: Schema<unknown>;
}

/** In the order of the schema, without the settings in `agents.list`. */
export const SETTINGS: readonly Setting[] = [...settingsBelow(configFile, [])];

function* settingsBelow({ shape }: Schema<unknown>, steps: readonly string[]): Generator<Setting> {
  if (shape.type !== 'object') return;
  for (const [name, schema] of Object.entries(shape.members)) {
    const own = [...steps, name];
    if (own[0] === 'exec' || own[0] === '$schema') continue;
    if (schema.shape.type === 'object') yield* settingsBelow(schema, own);
    else yield { steps: own, path: formatSettingPath(own), schema };
  }
}

export interface NamedSetting {
  readonly steps: readonly Step[];
  readonly schema: Schema<unknown>;
}

/** Normalises aliases: `exec.host` becomes `tools.exec.host`, and `list.0` becomes `list[0]`. */
export function canonicalSteps(steps: readonly Step[]): readonly Step[] {
  let shape: Shape | undefined = configFile.shape;
  return (steps[0] === 'exec' ? ['tools', ...steps] : steps).map((step) => {
    const entry = shape?.type === 'array' && typeof step === 'string' && /^\d{1,9}$/u.test(step) ? Number(step) : step;
    shape = shape === undefined ? undefined : memberOf(shape, entry)?.shape;
    return entry;
  });
}

/** Throws a fault with the nearest name when there is no such setting. */
export function findSetting(typed: readonly Step[]): NamedSetting {
  const steps = canonicalSteps(typed);
  let schema: Schema<unknown> = configFile;
  let at = '';
  for (const step of steps) {
    const next = memberOf(schema.shape, step);
    if (next === undefined) throw unknownSetting(typed, at, schema.shape, step);
    schema = next;
    at = below(at, step);
  }
  return { steps, schema };
}

function memberOf(shape: Shape, step: Step): Schema<unknown> | undefined {
  switch (shape.type) {
    case 'object':
      return typeof step === 'string' && Object.hasOwn(shape.members, step) ? shape.members[step] : undefined;
    case 'record':
      return typeof step === 'string' && step !== PROTOTYPE_NAME ? shape.values : undefined;
    case 'array':
      return typeof step === 'number' || step === END ? shape.items : undefined;
    default:
      return undefined;
  }
}

function unknownSetting(typed: readonly Step[], at: string, shape: Shape, step: Step): Fault {
  const path = formatSettingPath(typed);
  const near = nearestSetting(path, at, shape, step);
  const message = `unknown setting ${path}${near === undefined ? '' : `; did you mean ${near}`}`;
  return new Fault('CONFIG_UNKNOWN_KEY', message, {
    hint: describeMembers(at, shape),
    details: { path, ...(near === undefined ? {} : { near }) },
  });
}

function describeMembers(at: string, shape: Shape): string {
  const place = at === '' ? 'the file' : at;
  if (shape.type === 'object') return `${place} has ${Object.keys(shape.members).join(', ')}`;
  if (shape.type === 'array')
    return `${place} is a list: ${below(at, 0)} is its first entry, ${below(at, END)} a new one`;
  if (shape.type === 'record') return `${place} has members of any name except ${PROTOTYPE_NAME}`;
  return `${place} is a single value without members`;
}

/** The nearest known name for an unknown member. */
export function nearestMember(at: string, known: readonly string[]): string | undefined {
  const steps = parseSettingPath(at);
  const name = steps.at(-1);
  const near = typeof name === 'string' ? nearestNames(name, known)[0] : undefined;
  return near === undefined ? undefined : below(formatSettingPath(steps.slice(0, -1)), near);
}

/** A member with a similar name, or the only setting whose name ends with the path. */
function nearestSetting(path: string, at: string, shape: Shape, step: Step): string | undefined {
  if (shape.type === 'object' && typeof step === 'string') {
    const [near] = nearestNames(step, Object.keys(shape.members));
    if (near !== undefined) return below(at, near);
  }
  const ending = SETTINGS.filter((setting) => setting.path.endsWith(`.${path}`));
  return ending.length === 1 ? ending[0]!.path : undefined;
}
