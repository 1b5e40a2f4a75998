/**
 * Reads what the operator said: the system's file, the user's, the project's, which is the nearest `pincer.jsonc` upward from the
 * working folder, and the environment where it is the operator's. What cannot be read or does not fit is a fault: it never means
 * "as if it were not there".
 */
import { isDeepStrictEqual } from 'node:util';
import { Fault } from '../../base/fault.ts';
import { execInEnvironment, readEnvironment } from './environment.ts';
import { mergeFiles } from '../schema/merge.ts';
import { type ConfigSource, configPlaces } from '../places.ts';
import { checkValue, parseText, readText, type Diagnostic } from './read.ts';
import type { ConfigFile } from '../schema/schema.ts';
import { isObject } from '../../wire/schema.ts';
import { tightenedOnly } from '../tighten/tighten.ts';

export interface LoadedConfig {
  readonly config: ConfigFile;
  /** What of the environments of this process and of the caller has effect. */
  readonly environment?: ConfigFile;
  /** In the order in which they were laid over each other. */
  readonly sources: readonly ConfigSource[];
  /** Members that nobody knows, and what a project's file may not say; nothing of it has effect. */
  readonly warnings: readonly string[];
}

/** One of the layers, and what of it has effect. */
export interface Layer {
  readonly layer: ConfigSource['layer'] | 'environment';
  /** The file; undefined for the environment. */
  readonly path?: string;
  readonly says: ConfigFile;
  /** What of it has no effect, or none that was meant. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface LoadOptions {
  /** The working folder that the project's file is looked for from. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Whether `PINCER_TOOLS_…` and the like count. Only for a process that the operator started: the environment of whoever calls
   * a daemon is the caller's word, and a caller may be an agent. Default: false.
   */
  readonly heedEnvironment?: boolean;
}

/** The configuration that holds in a folder. */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  return combined(await loadLayers(options));
}

/** The layers laid over each other. */
export function combined(layers: readonly Layer[]): LoadedConfig {
  const environment = layers.find(({ layer }) => layer === 'environment')?.says;
  return {
    ...(environment === undefined ? {} : { environment }),
    config: layers.reduce<ConfigFile>((under, { says }) => mergeFiles(under, says), {}),
    sources: layers.flatMap(({ layer, path }) =>
      layer === 'environment' || path === undefined ? [] : [{ layer, path }],
    ),
    warnings: layers.flatMap(warningsOf),
  };
}

const CALLER = 'the environment of a caller';

/** The most warnings of one layer that an answer carries: every command repeats them. */
const MOST_WARNINGS = 10;

function warningsOf({ path = 'the environment', diagnostics }: Layer): readonly string[] {
  const shown = diagnostics.slice(0, MOST_WARNINGS).map(({ message }) => `${path} ${message}`);
  const left = diagnostics.length - shown.length;
  return left === 0 ? shown : [...shown, `${path} has ${left} more such words; pincer config validate lists them`];
}

/** The layers, the weakest first. */
export async function loadLayers(options: LoadOptions): Promise<readonly Layer[]> {
  const { folder, env = process.env, heedEnvironment = false } = options;
  const layers: Layer[] = [];
  let operator: ConfigFile = {};
  for (const { layer, path } of configPlaces(folder, env)) {
    const read = await readLayer(path, layer);
    if (read === undefined) continue;
    const { says, diagnostics } = layer === 'project' ? projectLayer(operator, read) : read;
    layers.push({ layer, path, says, diagnostics });
    operator = mergeFiles(operator, says);
  }
  const environment = heedEnvironment ? await readEnvironment(env) : undefined;
  return environment === undefined ? layers : [...layers, { layer: 'environment', ...environment }];
}

/** The layers as a daemon holds them for a caller with this environment, which may only tighten. */
export async function layersForCaller(
  folder: string,
  env: LoadOptions['env'] = process.env,
): Promise<readonly Layer[]> {
  const layers = await loadLayers({ folder, env });
  const says = await execInEnvironment(env);
  if (says === undefined) return layers;
  const read = projectLayer(combined(layers).config, { says, diagnostics: [] }, CALLER);
  return [...layers, { layer: 'environment', ...read }];
}

type Read = Pick<Layer, 'says' | 'diagnostics'>;

/** What a project's file may say, and a word about the rest. */
export function projectLayer(operator: ConfigFile, { says, diagnostics }: Read, whose = "a project's file"): Read {
  const refused: Diagnostic[] = [];
  const tight = tightenedOnly(operator, says, (at) =>
    refused.push({
      severity: 'warning',
      at,
      message: `says ${at}, which ${whose} may not loosen; it has no effect`,
    }),
  );
  return { says: tight, diagnostics: [...diagnostics, ...refused] };
}

/** What holds for a caller who brings settings along: like a project's file they may only tighten. */
export function tightenedBy(loaded: LoadedConfig, brought: unknown): LoadedConfig {
  const { said, diagnostics } = checkValue(brought);
  const wrongs = diagnostics.flatMap(({ severity, message }) => (severity === 'error' ? [message] : []));
  if (wrongs.length > 0)
    throw new Fault('CONFIG_INVALID', `the environment of the caller: ${wrongs.join('; ')}`, {
      hint: 'set the variables to values that fit, or unset them',
      details: { problems: wrongs },
    });
  const { says, diagnostics: all } = projectLayer(
    loaded.config,
    { says: differing(said, loaded.config), diagnostics },
    CALLER,
  );
  return {
    ...loaded,
    environment: mergeFiles(loaded.environment ?? {}, says),
    config: mergeFiles(loaded.config, says),
    warnings: [...loaded.warnings, ...warningsOf({ layer: 'environment', says, diagnostics: all })],
  };
}

/** What is not said already: the environment of an operator's server is read by it and brought by its tools. */
function differing(brought: ConfigFile, held: ConfigFile): ConfigFile {
  const different = (value: unknown, other: unknown): unknown => {
    if (!isObject(value) || !isObject(other)) return isDeepStrictEqual(value, other) ? undefined : value;
    const members = Object.entries(value).map(([name, member]) => [name, different(member, other[name])] as const);
    const kept = members.filter(([, member]) => member !== undefined);
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  };
  return different(brought, held) ?? {};
}

async function readLayer(path: string, layer: ConfigSource['layer']): Promise<Read | undefined> {
  const text = readText(path, layer);
  if (text === undefined) return undefined;
  const { said, diagnostics } = checkValue(await parseText(text, path));
  const wrongs = diagnostics.flatMap(({ severity, message }) => (severity === 'error' ? [message] : []));
  if (wrongs.length > 0)
    throw new Fault('CONFIG_INVALID', `${path}: ${wrongs.join('; ')}`, {
      hint: 'correct the file; until then no command is judged by a guess',
      details: { path, problems: wrongs },
    });
  return { says: said, diagnostics };
}
