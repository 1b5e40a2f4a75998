/** The effective configuration, merged from all layers and the defaults, and the origin of each value. */
import { variableOf } from './environment.ts';
import type { Layer } from './load.ts';
import { ocAddress } from './oc-address.ts';
import { readText } from './read.ts';
import { type ConfigFile, configFile } from '../schema/schema.ts';
import { END, formatSettingPath, type Step } from '../schema/setting-path.ts';
import { SETTINGS } from '../schema/settings.ts';
import { isObject, type Schema } from '../../wire/schema.ts';
import { ConfigDocument, type FileStep } from './source/document.ts';
import { loadJson5Parser } from './source/json5.ts';

export interface Origin {
  readonly layer: Layer['layer'] | 'default';
  readonly file?: string;
  readonly line?: number;
  readonly ocPath?: string;
  /** For the environment. */
  readonly variable?: string;
}

export interface EffectiveSetting {
  readonly path: string;
  readonly value: unknown;
  readonly origin: Origin;
}

/** Fills in all defaults that are fixed values. */
export function withDefaults(config: ConfigFile): Readonly<Record<string, unknown>> {
  const { exec: _, ...all } = fillDefaults(configFile, config) as Record<string, unknown>;
  return all;
}

function fillDefaults({ shape }: Schema<unknown>, value: unknown): unknown {
  if (shape.type !== 'object') return value === undefined ? shape.default : value;
  const given = isObject(value) ? value : {};
  const members = Object.entries(shape.members).flatMap(([name, member]) => {
    const filled = fillDefaults(member, given[name]);
    return filled === undefined ? [] : [[name, filled] as const];
  });
  return Object.fromEntries(members);
}

export function valueAt(value: unknown, steps: readonly Step[]): unknown {
  return steps.reduce<unknown>((here, step) => {
    if (typeof step === 'number') return Array.isArray(here) ? (here as unknown[])[step] : undefined;
    return typeof step === 'string' && isObject(here) && Object.hasOwn(here, step) ? here[step] : undefined;
  }, value);
}

/** Every setting at or below these steps. */
export async function effectiveSettings(
  layers: readonly Layer[],
  all: unknown,
  steps: readonly Step[],
): Promise<readonly EffectiveSetting[]> {
  const parse = await loadJson5Parser();
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

/** Lists are leaves, except `agents.list`: layers merge its entries. */
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
  for (const { layer, path, values } of [...layers].reverse()) {
    const own = stepsWithin(values, all, steps);
    if (own === undefined || valueAt(values, own) === undefined) continue;
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

/** Translates steps of the merged configuration to steps in one layer: entries of `agents.list` are matched by id. */
export function stepsWithin(values: ConfigFile, all: unknown, steps: readonly Step[]): readonly FileStep[] | undefined {
  if (steps.includes(END)) return undefined;
  const own = steps as readonly FileStep[];
  const [agents, list, index, ...rest] = own;
  if (agents !== 'agents' || list !== 'list' || typeof index !== 'number') return own;
  const id = valueAt(all, ['agents', 'list', index, 'id']);
  const at = values.agents?.list?.findIndex((entry) => entry.id === id) ?? -1;
  return at < 0 ? undefined : ['agents', 'list', at, ...rest];
}

function variableFor(steps: readonly FileStep[]): string {
  const setting = SETTINGS.find((one) => one.steps.every((step, i) => step === steps[i]));
  return variableOf(setting?.steps ?? steps.map(String));
}
