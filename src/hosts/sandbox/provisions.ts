/**
 * The files that the runner in a sandbox runs from, as read-only binds below `/opt/pincer`: its scripts, the Node of this
 * process with its loader and libraries, and the packages for terminals and pictures. Started through this loader, it runs
 * in any image, whatever its C library is.
 */
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { SandboxBind } from '../../wire/sandbox.ts';
import { readElf, type ElfFacts } from './provisions/elf.ts';
import { packageClosure } from './provisions/packages.ts';

export const PROVISIONS_ROOT = '/opt/pincer';

export interface Provisions {
  /** Files and folders, all read-only. */
  readonly binds: readonly SandboxBind[];
  /** Starts the agent with its channel on descriptor 3; add `--stdio` for stdin and stdout. */
  readonly command: readonly [string, ...string[]];
  /** Missing files and what does not work without them, one sentence each. */
  readonly missing: readonly string[];
}

export interface ProvisionsOptions {
  /** The agent's main script; its folder contains only scripts of the agent. */
  readonly runner: string;
  /** Default: this process's Node. */
  readonly node?: string;
}

const OPTIONAL = {
  '@lydell/node-pty': 'commands in the sandbox get no terminal: the package @lydell/node-pty is not installed',
  sharp: 'images cannot be read in the sandbox: the package sharp is not installed',
} as const;

/** The agent needs little memory. */
const NODE_OPTIONS = ['--max-semi-space-size=1'];
const SYSTEM_FOLDERS = ['/lib64', '/usr/lib64', '/lib', '/usr/lib'];

/** Throws SANDBOX_PROVISIONS when the agent could not be started. */
export function provisions({ runner, node = process.execPath }: ProvisionsOptions): Provisions {
  if (!existsSync(runner))
    throw new Fault('SANDBOX_PROVISIONS', `the agent for sandboxes is missing: ${runner}`, {
      hint: 'install pincer again; from its sources, run npm run build',
    });
  const script = realpathSync(runner);
  const program = realpathSync(node);
  const packages = Object.keys(OPTIONAL).map((name) => ({ name, folders: packageClosure(dirname(script), name) }));
  const folders = new Map(packages.flatMap((each) => [...each.folders]));
  const libraries = new Libraries();
  const facts = factsOf(program);
  const loader = facts.loader === undefined ? undefined : libraries.addLoader(facts.loader);
  libraries.addNeedsOf(program, facts);
  for (const folder of folders.values()) for (const file of nativeFilesIn(folder)) libraries.addNeedsOf(file);
  const pdf = join(dirname(dirname(script)), 'pdf');
  const targets: [string, string][] = [
    [dirname(script), 'runner'],
    [program, 'bin/node'],
    ...[...libraries.found].map(([name, source]): [string, string] => [source, `lib/${name}`]),
    ...[...folders].map(([name, source]): [string, string] => [source, `node_modules/${name}`]),
    ...(existsSync(pdf) ? [[realpathSync(pdf), 'pdf'] as [string, string]] : []),
  ];
  const at = (path: string): string => `${PROVISIONS_ROOT}/${path}`;
  const run: [string, ...string[]] =
    loader === undefined ? [at('bin/node')] : [at(`lib/${loader}`), '--library-path', at('lib'), at('bin/node')];
  return {
    binds: targets.map(([source, target]) => ({ source, target: at(target), access: 'ro' })),
    command: [...run, ...NODE_OPTIONS, at(`runner/${basename(script)}`), '--inside'],
    missing: [
      ...packages.flatMap(({ name, folders: found }) =>
        found.size > 0 ? [] : [OPTIONAL[name as keyof typeof OPTIONAL]],
      ),
      ...[...libraries.lost].map(
        (name) => `the library ${name} was not found: programs that need it do not work in the sandbox`,
      ),
      ...(existsSync(pdf) ? [] : ['PDFs cannot be read in the sandbox: the files of the PDF reader are missing']),
    ],
  };
}

/** Shared libraries by soname. */
class Libraries {
  readonly found = new Map<string, string>();
  readonly lost = new Set<string>();
  /** The libraries of this process show where this system keeps them. */
  readonly #folders = [...new Set([...loadedFiles().map((file) => dirname(file)), ...SYSTEM_FOLDERS])];

  addLoader(path: string): string {
    const name = basename(path);
    this.found.set(name, realpathSync(path));
    return name;
  }

  addNeedsOf(file: string, { needed, searched }: ElfFacts = factsOf(file)): void {
    const own = searched.map((folder) => folder.replaceAll(/\$ORIGIN|\$\{ORIGIN\}/gu, dirname(file)));
    for (const name of needed) {
      // A library of the package itself is found by its relative path, also inside.
      if (this.found.has(name) || own.some((folder) => existsSync(join(folder, name)))) continue;
      const folder = this.#folders.find((each) => existsSync(join(each, name)));
      if (folder === undefined) {
        this.lost.add(name);
        continue;
      }
      const source = realpathSync(join(folder, name));
      this.found.set(name, source);
      this.addNeedsOf(source);
    }
  }
}

function factsOf(file: string): ElfFacts {
  const facts = readElf(file);
  if (facts !== undefined) return facts;
  throw new Fault('SANDBOX_PROVISIONS', `${file} is not a program that can run in a sandbox`, {
    hint: 'sandboxes need Linux on a 64-bit machine',
  });
}

/** The shared libraries of this process; empty on systems without /proc. */
function loadedFiles(): readonly string[] {
  try {
    const maps = readFileSync('/proc/self/maps', 'utf8');
    return [...new Set([...maps.matchAll(/\s(\/\S+\.so[.\d]*)$/gmu)].map(([, path]) => path ?? ''))];
  } catch {
    return [];
  }
}

function nativeFilesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.node$|\.so(?:\.\d+)*$/u.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readElf(file) !== undefined);
}
