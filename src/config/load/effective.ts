/** What holds: the layers laid over each other, the defaults below them, and where each value comes from. */
import { variableOf } from './environment.ts';
import type { Layer } from './load.ts';
import { ocAddress } from './oc-address.ts';
import { readText } from './read.ts';
import { type ConfigFile, configFile } from '../schema/schema.ts';
import { END, formatSettingPath, type Step } from '../schema/setting-path.ts';
import { SETTINGS } from '../schema/settings.ts';
import { isObject, type Schema } from '../../wire/schema.ts';
import { ConfigDocument, type FileStep } from './source/document.ts';
import { json5Reader } from './source/json5.ts';

/** Where a value comes from. */
export interface Origin {
  readonly layer: Layer['layer'] | 'default';
  readonly file?: string;
  readonly line?: number;
  readonly ocPath?: string;
  /** For the environment. */
  readonly variable?: string;
}

/** A value with its place. */
export interface Held {
  readonly path: string;
  readonly value: unknown;
  readonly origin: Origin;
}

/** The configuration with every default that is one value filled in. */
export function withDefaults(config: ConfigFile): Readonly<Record<string, unknown>> {
  const { exec: _, ...all } = filled(configFile, config) as Record<string, unknown>;
  return all;
}

function filled({ shape }: Schema<unknown>, value: unknown): unknown {
  if (shape.type !== 'object') return value === undefined ? shape.default : value;
  const given = isObject(value) ? value : {};
  const members = Object.entries(shape.members).flatMap(([name, member]) => {
    const inside = filled(member, given[name]);
    return inside === undefined ? [] : [[name, inside] as const];
  });
  return Object.fromEntries(members);
}

/** What stands at these steps in a value; undefined where nothing does. */
export function valueAt(value: unknown, steps: readonly Step[]): unknown {
  return steps.reduce<unknown>((here, step) => {
    if (typeof step === 'number') return Array.isArray(here) ? (here as unknown[])[step] : undefined;
    return typeof step === 'string' && isObject(here) && Object.hasOwn(here, step) ? here[step] : undefined;
  }, value);
}

/** Every value at or below these steps, each with where it comes from. */
export async function heldBelow(
  layers: readonly Layer[],
  all: unknown,
  steps: readonly Step[],
): Promise<readonly Held[]> {
  const parse = await json5Reader();
  const documents = new Map<string, ConfigDocument>();
  const documentOf = (path: string): ConfigDocument | undefined => {
    const text = documents.has(path) ? undefined : readText(path);
    if (text !== undefined) documents.set(path, new ConfigDocument(text, parse));
    return documents.get(path);
  };
  return [...leaves(all, steps)].map((leaf) => ({
    path: formatSettingPath(leaf),
    value: valueAt(all, leaf),
    origin: originOf(layers, all, leaf, documentOf),
  }));
}

/** What has a value of its own; of lists only that of the agents is taken apart, since layers add to its entries. */
function* leaves(all: unknown, steps: readonly Step[]): Generator<readonly Step[]> {
  const value = valueAt(all, steps);
  if (value === undefined) return;
  const isAgents = formatSettingPath(steps) === 'agents.list';
  const below: readonly Step[] = Array.isArray(value)
    ? isAgents
      ? [...value.keys()]
      : []
    : isObject(value)
      ? Object.keys(value)
      : [];
  if (below.length === 0) yield steps;
  for (const step of below) yield* leaves(all, [...steps, step]);
}

type DocumentOf = (path: string) => ConfigDocument | undefined;

function originOf(layers: readonly Layer[], all: unknown, steps: readonly Step[], documentOf: DocumentOf): Origin {
  for (const { layer, path, says } of [...layers].reverse()) {
    const own = stepsWithin(says, all, steps);
    if (own === undefined || valueAt(says, own) === undefined) continue;
    if (path === undefined) return { layer, variable: variableFor(own) };
    return { layer, file: path, ...placeOf(path, own, documentOf) };
  }
  return { layer: 'default' };
}

function placeOf(path: string, steps: readonly FileStep[], documentOf: DocumentOf) {
  const document = documentOf(path);
  // `tools.exec` may be spelled `exec`.
  const spelled = document?.has(steps) === false && steps[0] === 'tools' ? steps.slice(1) : steps;
  const line = document?.positionOf(spelled).line;
  return { ...(line === undefined ? {} : { line }), ocPath: ocAddress(path, spelled) };
}

/** The steps in one layer to what stands at these steps in all of them: an agent is known by its id there. */
export function stepsWithin(says: ConfigFile, all: unknown, steps: readonly Step[]): readonly FileStep[] | undefined {
  if (steps.includes(END)) return undefined;
  const own = steps as readonly FileStep[];
  const [agents, list, index, ...rest] = own;
  if (agents !== 'agents' || list !== 'list' || typeof index !== 'number') return own;
  const id = valueAt(all, ['agents', 'list', index, 'id']);
  const at = says.agents?.list?.findIndex((entry) => entry.id === id) ?? -1;
  return at < 0 ? undefined : ['agents', 'list', at, ...rest];
}

function variableFor(steps: readonly FileStep[]): string {
  const setting = SETTINGS.find((one) => one.steps.every((step, i) => step === steps[i]));
  return variableOf(setting?.steps ?? steps.map(String));
}
