/**
 * Loads the layers of configuration, weakest first: the system's file, the user's, the project's (the nearest `pincer.jsonc` upward
 * from the folder) and the operator's environment. A file that is unreadable or invalid is a fault; it is never skipped.
 */
import { isDeepStrictEqual } from 'node:util';
import { Fault } from '../../base/fault.ts';
import { environmentRestrictions, readEnvironment, settingVariables } from './environment.ts';
import { mergeFiles } from '../schema/merge.ts';
import { type ConfigSource, configFiles, stampOfFiles } from '../config-files.ts';
import { checkValue, parseText, readText, type Diagnostic } from './read.ts';
import type { ConfigFile } from '../schema/schema.ts';
import { isObject } from '../../wire/schema.ts';
import { tighten } from '../tighten/tighten.ts';

export interface LoadedConfig {
  readonly config: ConfigFile;
  /** The settings in effect that come from the environment of this process or of the caller. */
  readonly environment?: ConfigFile;
  /** Weakest first. */
  readonly sources: readonly ConfigSource[];
  /** Settings without effect: unknown ones, and those that a project's file may not set. */
  readonly warnings: readonly string[];
}

export interface Layer {
  readonly layer: ConfigSource['layer'] | 'environment';
  /** Undefined for the environment. */
  readonly path?: string;
  /** Only the settings that take effect. */
  readonly values: ConfigFile;
  readonly diagnostics: readonly Diagnostic[];
}

export interface LoadOptions {
  /** Where the search for the project's file starts. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Whether `PINCER_TOOLS_…` and the like count (default: false). Only for a process that the operator started: a daemon must not
   * trust the environment of its caller, which may be an agent.
   */
  readonly includeEnvironment?: boolean;
}

/** The last result for some folders: a daemon asks for every command, and the files hardly ever change. */
const loadedConfigs = new Map<string, { readonly stamp: string; readonly loaded: LoadedConfig }>();
const MOST_LOADED = 64;

/** The same object as long as nothing has changed. */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { folder, env = process.env, includeEnvironment = false } = options;
  const stamp = stampOfFiles(folder, env);
  const key = JSON.stringify([folder, includeEnvironment ? settingVariables(env) : undefined]);
  const known = loadedConfigs.get(key);
  if (stamp !== undefined && known?.stamp === stamp) return known.loaded;
  const loaded = combineLayers(await loadLayers(options));
  if (loadedConfigs.size >= MOST_LOADED) loadedConfigs.clear();
  // The stamp is older than what was read: a change meanwhile has another one.
  if (stamp !== undefined) loadedConfigs.set(key, { stamp, loaded });
  return loaded;
}

export function combineLayers(layers: readonly Layer[]): LoadedConfig {
  const environment = layers.find(({ layer }) => layer === 'environment')?.values;
  return {
    ...(environment === undefined ? {} : { environment }),
    config: layers.reduce<ConfigFile>((under, { values }) => mergeFiles(under, values), {}),
    sources: layers.flatMap(({ layer, path }) =>
      layer === 'environment' || path === undefined ? [] : [{ layer, path }],
    ),
    warnings: layers.flatMap(warningsOf),
  };
}

const CALLER = 'the environment of a caller';

/** The most warnings per layer in an answer: every command repeats them. */
const MOST_WARNINGS = 10;

function warningsOf({ path = 'environment', diagnostics }: Layer): readonly string[] {
  const shown = diagnostics.slice(0, MOST_WARNINGS).map(({ message }) => `${path}: ${message}`);
  const left = diagnostics.length - shown.length;
  return left === 0
    ? shown
    : [...shown, `${path}: ${left} more ${left === 1 ? 'warning' : 'warnings'}; run pincer config validate`];
}

/** Weakest first. */
export async function loadLayers(options: LoadOptions): Promise<readonly Layer[]> {
  const { folder, env = process.env, includeEnvironment = false } = options;
  const layers: Layer[] = [];
  let operator: ConfigFile = {};
  for (const { layer, path } of configFiles(folder, env)) {
    const read = await readLayer(path, layer);
    if (read === undefined) continue;
    const { values, diagnostics } = layer === 'project' ? projectLayer(operator, read) : read;
    layers.push({ layer, path, values, diagnostics });
    operator = mergeFiles(operator, values);
  }
  const environment = includeEnvironment ? await readEnvironment(env) : undefined;
  return environment === undefined ? layers : [...layers, { layer: 'environment', ...environment }];
}

/** The layers that a daemon uses for a caller with this environment, which may only tighten. */
export async function layersForCaller(
  folder: string,
  env: LoadOptions['env'] = process.env,
): Promise<readonly Layer[]> {
  const layers = await loadLayers({ folder, env });
  const values = await environmentRestrictions(env);
  if (values === undefined) return layers;
  const read = projectLayer(combineLayers(layers).config, { values, diagnostics: [] }, CALLER);
  return [...layers, { layer: 'environment', ...read }];
}

type LayerContent = Pick<Layer, 'values' | 'diagnostics'>;

/** Keeps the settings that a project's file may set, and adds a diagnostic for each of the others. */
export function projectLayer(
  operator: ConfigFile,
  { values, diagnostics }: LayerContent,
  author = "a project's file",
): LayerContent {
  const refused: Diagnostic[] = [];
  const tightened = tighten(operator, values, (at) =>
    refused.push({ severity: 'warning', at, message: `${at} has no effect: ${author} may only make rules stricter` }),
  );
  return { values: tightened, diagnostics: [...diagnostics, ...refused] };
}

/** Applies the settings that a caller sends; like a project's file they may only tighten. */
export function applyRestrictions(loaded: LoadedConfig, restrictions: unknown): LoadedConfig {
  const checked = checkValue(restrictions);
  const errors = errorsOf(checked.diagnostics);
  if (errors.length > 0)
    throw new Fault('CONFIG_INVALID', `invalid environment of the caller: ${errors.join('; ')}`, {
      hint: 'set the variables to valid values, or unset them',
      details: { problems: errors },
    });
  const sent = differing(checked.values, loaded.config);
  const denyRules = checked.values.tools?.exec?.denyRules;
  const { values, diagnostics } = projectLayer(
    loaded.config,
    {
      // Also where they are equal to the top-level ones: the entry of an agent may have others.
      values: denyRules === undefined ? sent : mergeFiles(sent, { tools: { exec: { denyRules } } }),
      diagnostics: checked.diagnostics,
    },
    CALLER,
  );
  return {
    ...loaded,
    environment: mergeFiles(loaded.environment ?? {}, values),
    config: mergeFiles(loaded.config, values),
    warnings: [...loaded.warnings, ...warningsOf({ layer: 'environment', values, diagnostics })],
  };
}

/** The settings that differ: an operator's server reads its own environment, and its tools send the same one again. */
function differing(sent: ConfigFile, effective: ConfigFile): ConfigFile {
  const different = (value: unknown, other: unknown): unknown => {
    if (!isObject(value) || !isObject(other)) return isDeepStrictEqual(value, other) ? undefined : value;
    const members = Object.entries(value).map(([name, member]) => [name, different(member, other[name])] as const);
    const kept = members.filter(([, member]) => member !== undefined);
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  };
  return different(sent, effective) ?? {};
}

/** The last content of some files: a daemon reads them for every command, and they hardly ever change. */
const checkedFiles = new Map<string, { readonly text: string; readonly content: LayerContent }>();
const MOST_CHECKED_FILES = 64;

async function readLayer(path: string, layer: ConfigSource['layer']): Promise<LayerContent | undefined> {
  const text = readText(path, layer);
  if (text === undefined) return undefined;
  const known = checkedFiles.get(path);
  if (known?.text === text) return known.content;
  const content = await checkText(path, text);
  if (checkedFiles.size >= MOST_CHECKED_FILES) checkedFiles.clear();
  checkedFiles.set(path, { text, content });
  return content;
}

async function checkText(path: string, text: string): Promise<LayerContent> {
  const checked = checkValue(await parseText(text, path));
  const errors = errorsOf(checked.diagnostics);
  if (errors.length > 0)
    throw new Fault('CONFIG_INVALID', `${path}: ${errors.join('; ')}`, {
      hint: 'correct the file; commands are refused until then',
      details: { path, problems: errors },
    });
  return checked;
}

function errorsOf(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.flatMap(({ severity, message }) => (severity === 'error' ? [message] : []));
}
