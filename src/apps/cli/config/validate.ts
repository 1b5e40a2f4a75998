/** `pincer config validate`: every problem in the files and in the environment. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { configFiles } from '../../../config/config-files.ts';
import { type ConfigProblem, configProblems, fileProblems } from '../../../config/problems.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { type ConfigRun, namedFile } from './command.ts';

export async function runValidate(run: ConfigRun): Promise<number> {
  const { args, folder, json, output, style } = run;
  const [word] = args.words;
  const named = word === undefined ? namedFile(run) : ({ layer: 'file', path: resolve(folder, word) } as const);
  const problems = await problemsOf(run, named);
  const files =
    named === undefined ? configFiles(folder).map(({ path }) => path) : [named.path].filter((path) => existsSync(path));
  if (json) output.out(`${JSON.stringify({ valid: problems.length === 0, files, problems }, null, 2)}\n`);
  else {
    for (const problem of problems) output.out(`${shown(problem, (text) => style.bad(text))}\n`);
    if (problems.length === 0) output.out(`${visibleLine(allRight(files))}\n`);
  }
  return problems.length === 0 ? 0 : 1;
}

async function problemsOf(
  { folder }: ConfigRun,
  named: ReturnType<typeof namedFile>,
): Promise<readonly ConfigProblem[]> {
  if (named === undefined) return configProblems(folder);
  // A project's file is held against what the operator says.
  if (named.layer !== 'file') return (await configProblems(folder)).filter(({ file }) => file === named.path);
  if (!existsSync(named.path))
    throw new Fault('CONFIG_UNREADABLE', `${named.path} is not there`, {
      hint: 'pincer config file shows where files are',
    });
  return fileProblems(named.path);
}

function shown(
  { severity, file, line, column, message, ocPath, layer }: ConfigProblem,
  bad: (text: string) => string,
): string {
  const place = file === undefined ? layer : line === undefined ? file : `${file}:${line}:${column}`;
  const address = ocPath === undefined ? '' : `  ${ocPath}`;
  return `${visibleLine(place)}: ${severity === 'error' ? bad('error') : 'warning'}: ${visibleLine(message)}${visibleLine(address)}`;
}

function allRight(files: readonly string[]): string {
  return files.length === 0 ? 'there is no file, and nothing is wrong' : `nothing is wrong in ${files.join(', ')}`;
}
