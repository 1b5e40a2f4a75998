/** Programs that write or remove what their arguments name: within the working folder they follow the allowlist. */
import { type Finding, programFlag } from './finding.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** The last operand, or the folder of `-t`, is written to. */
const INTO_LAST = words('cp mv ln install rsync scp split');
/** Every operand is written to, changed or removed. */
const INTO_ALL = words('tee rm unlink shred truncate chmod chown chgrp chattr gzexe');
const TARGET_FOLDER = words('cp mv ln install');
/** The value of an option is written to: a letter, and a long option. */
const INTO_OPTION: Readonly<Record<string, readonly [letter: string, long: string]>> = {
  gcc: ['o', 'output'],
  'g++': ['o', 'output'],
  cc: ['o', 'output'],
  'c++': ['o', 'output'],
  clang: ['o', 'output'],
  'clang++': ['o', 'output'],
  ld: ['o', 'output'],
  as: ['o', 'output'],
  unzip: ['d', ''],
  csplit: ['f', 'prefix'],
  xgettext: ['o', 'output'],
  tar: ['C', 'directory'],
};
const NO_FILE = words('- /dev/null /dev/stdout /dev/stderr');
const SPECIAL_BITS = /^[0-7]?[2467][0-7]{3}$|(?:^|,)[ugoa]*[+=][rwxXt]*s/;

/** Whether a path leads out of the folder, or to files by which git runs programs. */
export function isOutside(path: string, cwd = ''): boolean {
  const inside = cwd.length > 1 && (path === cwd || path.startsWith(`${cwd}/`)) ? path.slice(cwd.length) : path;
  const segments = inside.split('/');
  if (segments.includes('..') || segments.includes('.git')) return true;
  return inside === path && /^[/~]/.test(path);
}

/** Whether a program is told to write outside of the working folder. */
export function writerFinding(names: ReadonlySet<string>, args: readonly string[], cwd: string): Finding | undefined {
  for (const name of names) {
    if (name === 'chmod' || name === 'install') {
      const at = args.findIndex((arg) => SPECIAL_BITS.test(arg.replace(/^(?:-m|--mode=)/, '')));
      if (at >= 0) return programFlag(at + 1, `${args[at]} lets a program run with the rights of its owner`);
    }
    const at = targetsOf(name, args).find(({ path }) => !NO_FILE.has(path) && isOutside(path, cwd));
    if (at !== undefined)
      return programFlag(at.word, `${name} would change ${JSON.stringify(at.path)} outside of the working folder`);
  }
  return undefined;
}

interface Target {
  readonly path: string;
  readonly word: number;
}

function targetsOf(name: string, args: readonly string[]): readonly Target[] {
  if (name === 'dd')
    return args.flatMap((arg, i) => (arg.startsWith('of=') ? [{ path: arg.slice(3), word: i + 1 }] : []));
  if (INTO_ALL.has(name)) return operandsOf(args);
  if (INTO_LAST.has(name)) {
    const named = TARGET_FOLDER.has(name) ? optionValues('t', 'target-directory', args) : [];
    return [...named, ...lastOf(args)];
  }
  if (
    name === 'tar' &&
    !args.some((arg, i) => (i === 0 ? /^-?[a-zA-Z]*x/ : /^-[a-zA-Z]*x/).test(arg) || /^--(?:ex|get)/.test(arg))
  )
    return [];
  const option = Object.hasOwn(INTO_OPTION, name) ? INTO_OPTION[name] : undefined;
  return option === undefined ? [] : optionValues(option[0], option[1], args);
}

function operandsOf(args: readonly string[]): readonly Target[] {
  const end = args.indexOf('--');
  return args.flatMap((path, i) =>
    i !== end && ((end >= 0 && i > end) || !path.startsWith('-') || path === '-') ? [{ path, word: i + 1 }] : [],
  );
}

/** An option behind the first operand may take one of the others as its value: then any of them may be the last. */
function lastOf(args: readonly string[]): readonly Target[] {
  const operands = operandsOf(args);
  if (operands.length < 2) return [];
  const first = operands[0]!.word;
  const mixed = args.some((arg, i) => i >= first && arg.startsWith('-') && arg !== '-');
  return operands.slice(mixed ? 1 : -1);
}

/** The values of `-tDIR`, `-rt DIR`, `--target-directory=DIR` and what abbreviates it. */
function optionValues(letter: string, long: string, args: readonly string[]): readonly Target[] {
  return args.flatMap((arg, i) => {
    const next = { path: args[i + 1] ?? '', word: i + 2 };
    if (arg.startsWith('--')) {
      const [given = '', value] = arg.slice(2).split(/=(.*)/s);
      if (given === '' || !long.startsWith(given)) return [];
      return [value === undefined ? next : { path: value, word: i + 1 }];
    }
    const at = arg.startsWith('-') ? arg.indexOf(letter) : -1;
    if (at < 1) return [];
    return [at + 1 === arg.length ? next : { path: arg.slice(at + 1), word: i + 1 }];
  });
}
