/** All that is wrong in the files of configuration and in the environment, each with its place; nothing is thrown for it. */
import { Fault } from '../base/fault.ts';
import { contradictionsIn } from './contradictions.ts';
import { readEnvironment } from './load/environment.ts';
import { type Layer, projectLayer } from './load/load.ts';
import { mergeFiles } from './schema/merge.ts';
import { ocAddress } from './load/oc-address.ts';
import { configPlaces } from './places.ts';
import { checkValue, parseText, readText, type Diagnostic } from './load/read.ts';
import type { ConfigFile } from './schema/schema.ts';
import { END, readSettingPath } from './schema/setting-path.ts';
import { ConfigDocument, type FileStep } from './load/source/document.ts';
import { json5Reader } from './load/source/json5.ts';

/** One problem. */
export interface ConfigProblem {
  /** An error keeps commands from running; what a warning speaks of has no effect. */
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

/** Everything that is wrong with the configuration of a folder. */
export async function configProblems(
  folder: string,
  env: Environment = process.env,
): Promise<readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  let operator: ConfigFile = {};
  for (const { layer, path } of configPlaces(folder, env)) {
    const found = await lookAt(path, layer, layer === 'project' ? operator : undefined);
    problems.push(...found.problems);
    operator = mergeFiles(operator, found.says);
  }
  return [...problems, ...contradictions(operator), ...(await environmentProblems(env))];
}

/** What no single file is wrong about. */
function contradictions(config: ConfigFile): readonly ConfigProblem[] {
  return contradictionsIn(config).map(({ at, message }) => ({
    severity: 'warning',
    layer: 'file',
    path: at,
    message: `the configuration ${message}`,
  }));
}

/** Everything that is wrong in one file. */
export async function fileProblems(path: string): Promise<readonly ConfigProblem[]> {
  return (await lookAt(path, 'file', undefined)).problems;
}

interface Look {
  readonly says: ConfigFile;
  readonly problems: readonly ConfigProblem[];
}

/** `operator` is what a project's file is held against; undefined for a file that is the operator's own. */
async function lookAt(path: string, layer: ConfigProblem['layer'], operator: ConfigFile | undefined): Promise<Look> {
  const base = { layer, file: path } as const;
  try {
    const text = readText(path, operator === undefined ? undefined : 'project');
    if (text === undefined)
      throw new Fault('CONFIG_UNREADABLE', `${path} is no file`, { hint: 'name a file that is there' });
    const { said, diagnostics } = checkValue(await parseText(text, path));
    const read =
      operator === undefined ? { says: said, diagnostics } : projectLayer(operator, { says: said, diagnostics });
    const place = await placeIn(text, path);
    return { says: read.says, problems: read.diagnostics.map((one) => problemOf(one, { ...base, ...place(one) })) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return {
      says: {},
      problems: [{ severity: 'error', ...base, ...syntaxPlace(error), message: withoutPath(error.message, path) }],
    };
  }
}

/** The place stands beside the message already. */
function withoutPath(message: string, path: string): string {
  return message.startsWith(path) ? message.slice(path.length).replace(/^(?::\d+:\d+)? /u, '') : message;
}

type Where = Omit<ConfigProblem, 'severity' | 'path' | 'message'>;

function problemOf({ severity, at, message }: Diagnostic, where: Where): ConfigProblem {
  return { severity, ...where, ...(at === '' ? {} : { path: at }), message };
}

/** Finds the position of a diagnostic in its file. */
async function placeIn(text: string, path: string) {
  const parse = await json5Reader();
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
  return readSettingPath(at).filter((step): step is FileStep => step !== END);
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
