/** `pincer config validate`: reports problems in configuration files and the environment. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { configFiles } from '../../../config/config-files.ts';
import { type ConfigProblem, configProblems, fileProblems } from '../../../config/problems.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { type ConfigRun, namedFile } from './config-run.ts';

export async function runValidate(run: ConfigRun): Promise<number> {
  const { args, folder, json, output, style } = run;
  const [word] = args.positionals;
  const named = word === undefined ? namedFile(run) : ({ layer: 'file', path: resolve(folder, word) } as const);
  const problems = await problemsOf(run, named);
  const files =
    named === undefined ? configFiles(folder).map(({ path }) => path) : [named.path].filter((path) => existsSync(path));
  if (json) output.out(`${JSON.stringify({ valid: problems.length === 0, files, problems }, null, 2)}\n`);
  else {
    for (const problem of problems) output.out(`${problemText(problem, (text) => style.bad(text))}\n`);
    if (problems.length === 0) output.out(`${visibleLine(validText(files))}\n`);
  }
  return problems.length === 0 ? 0 : 1;
}

async function problemsOf(
  { folder }: ConfigRun,
  named: ReturnType<typeof namedFile>,
): Promise<readonly ConfigProblem[]> {
  if (named === undefined) return configProblems(folder);
  // A project file is checked against the system and user layers.
  if (named.layer !== 'file') return (await configProblems(folder)).filter(({ file }) => file === named.path);
  if (!existsSync(named.path))
    throw new Fault('CONFIG_UNREADABLE', `${named.path} does not exist`, {
      hint: 'pincer config file prints the paths',
    });
  return fileProblems(named.path);
}

function problemText(
  { severity, file, line, column, message, ocPath, layer }: ConfigProblem,
  bad: (text: string) => string,
): string {
  const place = file === undefined ? layer : line === undefined ? file : `${file}:${line}:${column}`;
  const address = ocPath === undefined ? '' : `  ${ocPath}`;
  return `${visibleLine(place)}: ${severity === 'error' ? bad('error') : 'warning'}: ${visibleLine(message)}${visibleLine(address)}`;
}

function validText(files: readonly string[]): string {
  return files.length === 0 ? 'valid: no configuration files' : `valid: ${files.join(', ')}`;
}
