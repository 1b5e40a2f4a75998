/** Script files among the arguments of a command: `python3 build.py` runs the contents of `build.py`. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { isCarrier } from '../../../policy/programs/carriers.ts';
import { isInterpreter } from '../../../policy/programs/interpreters.ts';
import { baseName, plainName } from '../../../policy/programs/names.ts';
import type { Identity } from '../../../wire/policy.ts';
import { identityOf } from '../../process/programs/which.ts';
import type { Prepared } from '../prepare.ts';

export interface Script {
  readonly path: string;
  readonly identity: Identity;
}

const SCRIPT_NAME = /\.(?:[cm]?[jt]sx?|py|pyz|rb|pl|pm|php|lua|tcl|awk|sed|jar|mk|(?:ba|z|k|fi)?sh)$/u;
/** Approximates shell word boundaries: a name that is missed here is not bound, nothing worse. */
const BETWEEN_WORDS = /[\s;&|<>()'"`]+/u;

/** Each name is looked up on disk. More is refused: a partial binding would cover scripts that the person did not see. */
const MOST_NAMES = 5000;

/** Scripts in the order of their first mention. */
export function scriptsOf({
  judgement,
  effective,
  request,
  cwd,
}: Pick<Prepared, 'judgement' | 'effective' | 'request' | 'cwd'>): readonly Script[] {
  const plan = effective.security === 'full' ? undefined : judgement?.plan;
  const commands =
    plan === undefined
      ? [request.command.split(BETWEEN_WORDS)]
      : plan.stages.map(({ argv, binary }) => [binary.real, ...argv]);
  const found = new Map<string, Script>();
  const seen = new Set<string>();
  for (const words of commands) {
    const isRead = words.some(readsPrograms);
    for (const word of words.flatMap(namesIn)) {
      const path = resolve(cwd, word);
      if (seen.has(path)) continue;
      if (seen.size === MOST_NAMES) throw tooManyNames();
      seen.add(path);
      const identity = scriptAt(path, isRead);
      if (identity !== undefined) found.set(path, { path, identity });
    }
  }
  return [...found.values()];
}

function tooManyNames(): Fault {
  return new Fault('EXEC_COMMAND_INVALID', `a command that needs approval may have at most ${MOST_NAMES} arguments`, {
    hint: 'put the command into a script, and run the script',
  });
}

/** `--file=build.py` also names a file. */
function namesIn(word: string): readonly string[] {
  const equals = word.indexOf('=');
  return [word, ...(equals < 0 ? [] : [word.slice(equals + 1)])].filter((name) => name !== '' && !name.includes('\0'));
}

function readsPrograms(word: string): boolean {
  const name = baseName(word);
  const names = new Set([name, plainName(name)]);
  return word === '.' || word === 'source' || isCarrier(names) || [...names].some((one) => isInterpreter(one));
}

/** Undefined where there is no file, or a data file. Any file that an interpreter receives counts as a script. */
function scriptAt(path: string, isRead: boolean): Identity | undefined {
  let file: number;
  try {
    // Non-blocking: the path may be a pipe without a writer.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return undefined; // no file, or one that the command cannot read either
  }
  try {
    const stat = fstatSync(file, { bigint: true });
    if (!stat.isFile()) return undefined;
    const isScript = isRead || (stat.mode & 0o111n) !== 0n || SCRIPT_NAME.test(path) || beginsAsScript(file);
    return isScript ? identityOf(stat) : undefined;
  } finally {
    closeSync(file);
  }
}

function beginsAsScript(file: number): boolean {
  const start = Buffer.alloc(2);
  try {
    return readSync(file, start, 0, 2, 0) === 2 && start.toString('latin1') === '#!';
  } catch (error) {
    // Some kernel files cannot be read, such as /proc/self/ns/pid; any other failure may hide a script.
    return (error as NodeJS.ErrnoException).code !== 'EINVAL';
  }
}
