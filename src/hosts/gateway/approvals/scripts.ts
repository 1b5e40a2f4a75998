/** The files among the words of a command that hold programs: `python3 build.py` runs what stands in `build.py`. */
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
/** What a shell reads as the end of a word, near enough: a name that is missed here is not bound, and nothing else. */
const BETWEEN_WORDS = /[\s;&|<>()'"`]+/u;

/** Each is looked for on the disk. An approval that is bound to some of them only would hold for others than were read. */
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
  return new Fault('EXEC_COMMAND_INVALID', `no person can be asked about a command of more than ${MOST_NAMES} words`, {
    hint: 'put the command into a script, and run the script',
  });
}

/** `--file=build.py` names a file, too. */
function namesIn(word: string): readonly string[] {
  const equals = word.indexOf('=');
  return [word, ...(equals < 0 ? [] : [word.slice(equals + 1)])].filter((name) => name !== '' && !name.includes('\0'));
}

function readsPrograms(word: string): boolean {
  const name = baseName(word);
  const names = new Set([name, plainName(name)]);
  return word === '.' || word === 'source' || isCarrier(names) || [...names].some((one) => isInterpreter(one));
}

/** Undefined where no file stands, or one that is data. Whatever an interpreter is given counts as a program. */
function scriptAt(path: string, isRead: boolean): Identity | undefined {
  let file: number;
  try {
    // Without waiting: what looks like a file may be a pipe that nobody writes to.
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
    // Some files of the kernel have nothing to read, such as /proc/self/ns/pid; any other failure may hide a program.
    return (error as NodeJS.ErrnoException).code !== 'EINVAL';
  }
}
