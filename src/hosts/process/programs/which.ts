/** Finds the program of a command name: searches PATH as a shell does, but only its absolute folders. */
import { accessSync, constants, realpathSync, statSync, type BigIntStats } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import type { Binary, Identity, Lookup } from '../../../wire/policy.ts';
import { homeOfGit } from '../../obeyed/home.ts';
import { folderLookup } from './folder-lookup.ts';
import { gitUserFacts } from './repository-facts.ts';
import { repositoryReads } from './repository-reads.ts';
import { obeyedInWorkspace } from '../obeyed-in-workspace.ts';
import { type BoundTexts, boundTextReader, hashOf } from './bound-texts.ts';
import { versionSwitchOf } from './version-switch.ts';

export interface LookupOptions {
  /** Folders separated by `:`. Relative and empty ones are skipped, because they would search the working folder. */
  readonly path: string;
  readonly cwd: string;
  /** The folder that commands may change. Default: the working folder. */
  readonly workspace?: string;
  /** The `HOME` of the commands. Default: that of `env`. */
  readonly home?: string | undefined;
  /** The environment of the programs. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Caches what it finds, so an instance is for a single judgement. */
export function createLookup({
  path,
  cwd,
  workspace = cwd,
  home,
  env,
}: LookupOptions): Lookup & Readonly<Record<'texts', BoundTexts>> {
  const texts = boundTextReader();
  const repositories = repositoryReads(workspace);
  const folders = path.split(':').filter((folder) => isAbsolute(folder));
  const found = new Map<string, Binary | undefined>();
  const real = new Map<string, string | undefined>();
  const shared = {
    ...folderLookup(workspace),
    home: () => home ?? homeOfGit(env)[0],
    folders,
    realPath(entry: string) {
      if (!real.has(entry)) real.set(entry, realPathOf(entry));
      return real.get(entry);
    },
    repositoryAt: repositories.repositoryAt,
    gitUser: () => gitUserFacts(workspace, env),
    obeyedByGit: (folder: string) => obeyedInWorkspace(folder, workspace, env),
    textOf: texts.textOf,
    sha256: hashOf,
  };
  const from = (folder: string): Lookup => ({
    ...shared,
    from,
    find(word) {
      const place = word.includes('/') && !isAbsolute(word) ? `${folder}/${word}` : word;
      if (!found.has(place)) found.set(place, search(place, folders));
      return found.get(place);
    },
  });
  return { ...from(cwd), texts: { ...texts, changed: () => texts.changed() ?? repositories.changed() } };
}

/** Undefined when the file cannot be executed. */
export function binaryAt(path: string): Binary | undefined {
  try {
    // Most folders of PATH do not have the program: this check is cheaper than an exception.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    accessSync(path, constants.X_OK);
    const real = realpathSync.native(path);
    const stat = statSync(real, { bigint: true });
    const versionSwitch = versionSwitchOf(path, real);
    return {
      path,
      real,
      identity: identityOf(stat),
      writable: isWritableByOthers(stat, dirname(real)),
      ...(versionSwitch === undefined ? {} : { versionSwitch }),
      ...(isOfSystem(stat, real) ? { system: true } : {}),
    };
  } catch {
    return undefined; // gone or not accessible: a shell would skip it, too
  }
}

export function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): Identity {
  return { dev: `${dev}`, ino: `${ino}`, size: `${size}`, mtimeNs: `${mtimeNs}`, ctimeNs: `${ctimeNs}` };
}

function search(word: string, folders: readonly string[]): Binary | undefined {
  if (word === '' || word.includes('\0')) return undefined;
  // Not normalised: the kernel resolves `..` after a symlink.
  if (word.includes('/')) return binaryAt(word);
  for (const folder of folders) {
    const binary = binaryAt(folder.endsWith('/') ? `${folder}${word}` : `${folder}/${word}`);
    if (binary !== undefined) return binary;
  }
  return undefined;
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // it does not exist
  }
}

function isWritableByOthers(file: BigIntStats, folder: string): boolean {
  const parent = statSync(folder, { bigint: true });
  return [file, parent].some(({ mode, uid }) => {
    const open = (mode & 0o022n) !== 0n && (mode & 0o1000n) === 0n;
    return open || (uid !== 0n && Number(uid) !== process.getuid?.());
  });
}

/** Whether root alone can replace the file. */
function isOfSystem(file: BigIntStats, real: string): boolean {
  if (!isRoots(file)) return false;
  for (let folder = dirname(real); ; folder = dirname(folder)) {
    if (!isRoots(statSync(folder, { bigint: true }))) return false;
    if (folder === '/') return SYSTEM_FOLDERS.some((system) => real.startsWith(system));
  }
}

/** Where operating systems put their own programs. Root's home, and folders for experiments, are none of them. */
const SYSTEM_FOLDERS = ['/usr/', '/bin/', '/sbin/', '/lib/'];

function isRoots({ mode, uid }: BigIntStats): boolean {
  return uid === 0n && (mode & 0o022n) === 0n;
}
