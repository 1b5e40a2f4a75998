/** The files that build programs read for what to run. */
import type { BoundText, Lookup } from '../../wire/policy.ts';
import {
  type ObeyedTexts,
  fileText,
  filesAbove,
  nearestFile,
  textIn,
  Unbindable,
  wholeFile,
  within,
} from './found-texts.ts';

interface BuildProgram {
  /** Files that it reads in the working folder. */
  readonly here?: readonly string[];
  /** Files of which it reads the nearest. */
  readonly nearest?: readonly string[];
  /** Files that it reads in every folder from the working folder upwards. */
  readonly above?: readonly string[];
  /** Files of which only the choice of the toolchain is bound. */
  readonly toolchain?: readonly string[];
  /** Options that choose other files or another folder. */
  readonly elsewhere: RegExp;
  readonly notBound: string;
}

const MAKE: BuildProgram = {
  here: ['GNUmakefile', 'makefile', 'Makefile'],
  elsewhere: /^(?:-[a-zA-Z]*[fCI]|--(?:f|m|d|i|e)[a-z-]*)/,
  notBound: 'the files that it includes or runs',
};
const TASKFILES = ['Taskfile', 'taskfile'].flatMap((name) =>
  ['.yml', '.yaml', '.dist.yml', '.dist.yaml'].map((end) => `${name}${end}`),
);

const PROGRAMS: Readonly<Record<string, BuildProgram>> = {
  make: MAKE,
  gmake: MAKE,
  just: {
    nearest: ['justfile', 'Justfile', '.justfile', 'JUSTFILE'],
    elsewhere: /^(?:-[a-zA-Z]*[fdcg]|--(?:j|w|c|g|s|d)[a-z-]*)/,
    notBound: 'the files that it imports or runs',
  },
  task: {
    nearest: TASKFILES,
    elsewhere: /^(?:-[a-zA-Z]*[dtg]|--(?:d|t|g|e)[a-z-]*)/,
    notBound: 'the files that it includes or runs',
  },
  cargo: {
    nearest: ['rust-toolchain.toml', 'rust-toolchain'],
    above: ['.cargo/config.toml', '.cargo/config'],
    elsewhere: /^(?:\+|-C|-Z|--(?:config|manifest-path|directory))/,
    notBound: 'build.rs, the tests and the dependencies',
  },
  rustc: {
    nearest: ['rust-toolchain.toml', 'rust-toolchain'],
    elsewhere: /^\+/,
    notBound: 'the sources',
  },
  go: {
    toolchain: ['go.mod', 'go.work'],
    elsewhere: /^--?(?:C|exec|toolexec|overlay|modfile|vettool)(?:=|$)/,
    notBound: 'the code and the tests',
  },
};

/** Undefined for other programs. */
export function buildFiles(
  names: ReadonlySet<string>,
  args: readonly string[],
  folder: string,
  lookup: Lookup,
): ObeyedTexts | undefined {
  const name = [...names].find((one) => Object.hasOwn(PROGRAMS, one));
  if (name === undefined) return undefined;
  const { here = [], nearest = [], above = [], toolchain = [], elsewhere, notBound } = PROGRAMS[name]!;
  const option = args.find((word) => elsewhere.test(word));
  if (option !== undefined) throw new Unbindable(`the option ${option} of ${name} may choose other files or programs`);
  return {
    kind: 'build-file',
    texts: [
      ...here.map((file) => wholeFile(within(folder, file), lookup)),
      ...nearest.map((file) => wholeFile(nearestFile(folder, file, lookup), lookup)),
      ...above.flatMap((file) => filesAbove(folder, file, lookup).map((path) => wholeFile(path, lookup))),
      ...toolchain.map((file) => toolchainOf(nearestFile(folder, file, lookup), lookup)),
    ],
    notBound,
  };
}

/** The lines that choose the version of Go, which may be downloaded. */
function toolchainOf(file: string, lookup: Lookup): BoundText {
  const found = fileText(file, lookup);
  const lines = found?.text.split('\n').filter((line) => /^\s*(?:go|toolchain)\s/u.test(line));
  return textIn(file, 'toolchain', lines?.join('\n'), lookup);
}
