/** All problems in the configuration files and the environment, each with its position. They are returned, not thrown. */
import { Fault } from '../base/fault.ts';
import { contradictionsIn } from './contradictions.ts';
import { readEnvironment } from './load/environment.ts';
import { type Layer, projectLayer } from './load/load.ts';
import { mergeFiles } from './schema/merge.ts';
import { ocAddress } from './load/oc-address.ts';
import { configFiles } from './config-files.ts';
import { checkValue, parseText, readText, type Diagnostic } from './load/read.ts';
import type { ConfigFile } from './schema/schema.ts';
import { END, parseSettingPath } from './schema/setting-path.ts';
import { ConfigDocument, type FileStep } from './load/source/document.ts';
import { loadJson5Parser } from './load/source/json5.ts';
import { isNode } from './state.ts';

export interface ConfigProblem {
  /** After an error, commands are refused; a warning is about a setting without effect. */
  readonly severity: 'error' | 'warning';
  readonly layer: Layer['layer'] | 'file';
  readonly file?: string;
  /** Both from 1. */
  readonly line?: number;
  readonly column?: number;
  /** The setting, in the form of `pincer config get`. */
  readonly path?: string;
  readonly ocPath?: string;
  readonly message: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export async function configProblems(
  folder: string,
  env: Environment = process.env,
): Promise<readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  let operator: ConfigFile = {};
  for (const { layer, path } of configFiles(folder, env)) {
    const checked = await checkFile(path, layer, layer === 'project' ? operator : undefined);
    problems.push(...checked.problems);
    operator = mergeFiles(operator, checked.values);
  }
  return [...problems, ...contradictions(operator, isNode(env)), ...(await environmentProblems(env))];
}

function contradictions(config: ConfigFile, isNode: boolean): readonly ConfigProblem[] {
  const found = contradictionsIn(config, isNode);
  return found.map(({ at, message }) => ({ severity: 'warning', layer: 'file', path: at, message }));
}

export async function fileProblems(path: string): Promise<readonly ConfigProblem[]> {
  return (await checkFile(path, 'file', undefined)).problems;
}

interface CheckedFile {
  readonly values: ConfigFile;
  readonly problems: readonly ConfigProblem[];
}

/** `operator` is the configuration that a project's file may only tighten; undefined for the operator's own files. */
async function checkFile(
  path: string,
  layer: ConfigProblem['layer'],
  operator: ConfigFile | undefined,
): Promise<CheckedFile> {
  const base = { layer, file: path } as const;
  try {
    const text = readText(path, operator === undefined ? undefined : 'project');
    if (text === undefined)
      throw new Fault('CONFIG_UNREADABLE', `${path} is not a file`, { hint: 'name an existing file' });
    const checked = checkValue(await parseText(text, path));
    const { values, diagnostics } = operator === undefined ? checked : projectLayer(operator, checked);
    const place = await placeIn(text, path);
    return { values, problems: diagnostics.map((one) => problemOf(one, { ...base, ...place(one) })) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return {
      values: {},
      problems: [{ severity: 'error', ...base, ...syntaxPlace(error), message: withoutPath(error.message, path) }],
    };
  }
}

/** A problem has members for the path and the position. */
function withoutPath(message: string, path: string): string {
  return message.startsWith(path) ? message.slice(path.length).replace(/^(?::\d+:\d+)?:? /u, '') : message;
}

type Where = Omit<ConfigProblem, 'severity' | 'path' | 'message'>;

function problemOf({ severity, at, message }: Diagnostic, where: Where): ConfigProblem {
  return { severity, ...where, ...(at === '' ? {} : { path: at }), message };
}

/** Returns a function that finds the position of a diagnostic in the text. */
async function placeIn(text: string, path: string) {
  const parse = await loadJson5Parser();
  let document: ConfigDocument | undefined;
  return ({ at }: Diagnostic) => {
    document ??= new ConfigDocument(text, parse);
    const steps = at === '' ? [] : fileSteps(at);
    // `tools.exec` may be spelled `exec`.
    const spelled = document.has(steps) || steps[0] !== 'tools' || steps[1] !== 'exec' ? steps : steps.slice(1);
    return { ...document.positionOf(spelled), ocPath: ocAddress(path, spelled) };
  };
}

function fileSteps(at: string): readonly FileStep[] {
  return parseSettingPath(at).filter((step): step is FileStep => step !== END);
}

function syntaxPlace({ details }: Fault): { readonly line?: number; readonly column?: number } {
  const { line, column } = details ?? {};
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : {};
}

async function environmentProblems(env: Environment): Promise<readonly ConfigProblem[]> {
  try {
    const read = await readEnvironment(env);
    return (read?.diagnostics ?? []).map((one) => problemOf(one, { layer: 'environment' }));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [{ severity: 'error', layer: 'environment', message: error.message }];
  }
}
