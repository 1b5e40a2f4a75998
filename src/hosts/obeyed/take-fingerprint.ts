/** Takes the fingerprint of a workspace: files that are obeyed by name, files that those name, and guarded files. */
import { accessSync, constants, type BigIntStats } from 'node:fs';
import { dirname } from 'node:path';
import { isInside } from '../../base/inside.ts';
import { relativeInside } from '../relative-inside.ts';
import { identity, kindOf, lstatAt, stampOf } from './file-stamp.ts';
import type { Fingerprint, FingerprintEntry } from './fingerprint.ts';
import { isGuardedRow, isRepositoryRow, scriptAt } from './guarded-rows.ts';
import { isGitName } from './match.ts';
import { entriesOf } from './folder-entries.ts';
import { pathsNamedBy } from './named.ts';
import { foldName } from './fold-name.ts';
import { ObeyedBudget } from './obeyed-budget.ts';
import { isUtf8Path } from './path-bytes.ts';
import { withPauses, type Steps } from './pauses.ts';
import { entryAt, realOf, realPlaceOf } from './reading.ts';
import { repositoryPaths } from './git/repository-paths.ts';
import { isRepositoryByNames } from './git/repository.ts';
import { SCAN_BOUNDS, walkFrom, type Found, type Unsearched } from './scan.ts';

/** Files in the folder of a repository that git writes during normal work and that no program obeys. */
const STATE_OF_GIT =
  /^(?:objects|logs|refs|rr-cache|lfs|annex|packed-refs|head|.*_head|index.*|sharedindex\..*|commit_editmsg|merge_(?:msg|mode|rr)|squash_msg|description|shallow|.*\.lock|pincer-sandbox-.*)$/u;
/** The stamp of files that git changes during normal work: only their existence counts. */
const PRESENT = 'present';
const MOST_ENTRIES = 20_000;
/** The reader of files that a sandbox guards for another reason. */
const GUARDED = 'guarded by the sandbox';

/** Covers a folder and further paths below it, with at most `most` files; pauses for other work. */
export function takeFingerprint(
  top: string,
  also: readonly string[] = [],
  most: number = MOST_ENTRIES,
): Promise<Fingerprint> {
  return withPauses(new FingerprintTaker(top, most).take(also));
}

class FingerprintTaker {
  readonly #top: string;
  readonly #most: number;
  readonly #entries = new Map<string, FingerprintEntry>();
  readonly #roots = new Set<string>();
  readonly #toGuard = new Set<string>();
  /** By path, with one reason each. */
  readonly #unsearched = new Map<string, Unsearched>();
  readonly #budget = new ObeyedBudget();
  /** Symlinks in obeyed folders; grows while they are followed. */
  readonly #linksBelow: { readonly path: string; readonly reader: string }[] = [];
  #isFull = false;

  constructor(top: string, most: number) {
    this.#most = most;
    this.#top = realPlaceOf(top);
  }

  *take(also: readonly string[]): Steps<Fingerprint> {
    const { found, inactive, reached, unsearched } = yield* walkFrom(this.#top, SCAN_BOUNDS);
    this.#addUnsearched(unsearched);
    for (const { path, row, parts } of found) if (parts === undefined) yield* this.#addAll(path, row.reader);
    // The names that make a folder a repository are obeyed by name; its other entries are obeyed because of them.
    for (const { path, row, parts = [] } of found)
      if (parts.length > 0) {
        for (const part of parts) {
          const isState = STATE_OF_GIT.test(foldName(part.slice(part.lastIndexOf('/') + 1)));
          this.#add(part, row.reader, undefined, isState ? PRESENT : undefined);
          yield undefined;
        }
        yield* this.#addAll(path, row.reader, path);
      }
    for (const each of found) {
      this.#noteGuard(each);
      if (each.kind === 'link') yield* this.#addTarget(each.path, each.row.reader);
      if (isRepositoryRow(each.row)) yield* this.#addRepository(each);
      yield* this.#addNamed(each);
    }
    for (const path of also) yield* this.#addAll(path, GUARDED, path);
    // A guard covers a symlink in it, but not the target.
    for (const { path, reader } of this.#linksBelow) yield* this.#addTarget(path, reader, true);
    const unread = [...this.#unsearched.values()];
    return {
      entries: this.#entries,
      roots: this.#roots,
      toGuard: this.#toGuard,
      inactive: new Set(inactive),
      reached,
      unsearched: unread,
    };
  }

  /** Adds a path and all paths below it, each folder before its entries. */
  *#addAll(path: string, reader: string, root?: string): Steps<void> {
    if (root !== undefined) this.#roots.add(root);
    const queue = [path];
    for (let at = 0; at < queue.length; at++) {
      const next = queue[at]!;
      const stats = this.#add(next, reader, root);
      yield undefined;
      if (stats?.isSymbolicLink() === true && next !== path) this.#linksBelow.push({ path: next, reader });
      if (stats?.isDirectory() !== true || this.#isFull) continue;
      // Queued paths will become entries too.
      const most = this.#most - this.#entries.size - (queue.length - at - 1);
      const entries = yield* entriesOf(`${this.#top}/${next}`, most);
      if (typeof entries === 'string') {
        this.#addUnsearched([{ path: next, why: entries }]);
        continue;
      }
      const names = entries.map(({ name }) => name);
      const isState = reader === 'git' && isOfRepository(next, path, names, root) ? STATE_OF_GIT : undefined;
      const compared = names.filter((name) => isState?.test(foldName(name)) !== true);
      for (const name of compared.sort()) queue.push(`${next}/${name}`);
    }
  }

  /** Undefined where the path does not exist, was added before, or exceeds the limit. */
  #add(path: string, reader: string, root?: string, stamp?: string): BigIntStats | undefined {
    if (this.#entries.has(path) || this.#isFull) return undefined;
    const stats = lstatAt(`${this.#top}/${path}`);
    if (stats === undefined) return undefined;
    if (this.#entries.size >= this.#most) {
      this.#isFull = true;
      this.#addUnsearched([{ path, why: `there are more than ${this.#most} files that programs on the host obey` }]);
      return undefined;
    }
    this.#entries.set(path, {
      stamp: stamp ?? stampOf(stats, `${this.#top}/${path}`),
      identity: identity(stats),
      reader,
      ...(root === undefined ? {} : { root }),
      kind: kindOf(stats),
      hasOtherName: stats.isFile() && stats.nlink > 1n,
    });
    return stats;
  }

  /** The stamp of a symlink includes a target file; for a target folder, its entries are added. */
  *#addTarget(path: string, reader: string, isBelow = false): Steps<void> {
    const target = this.#within(isUtf8Path(path) ? realOf(`${this.#top}/${path}`) : undefined);
    // A target above the symlink is the obeyed folder itself, or the project.
    if (target === undefined || isInside(path, target)) return;
    if (isBelow || lstatAt(`${this.#top}/${target}`)?.isDirectory() === true)
      yield* this.#addAll(target, reader, target);
  }

  *#addRepository({ path, row }: Found): Steps<void> {
    if (!isUtf8Path(path)) return; // it is reported as new, and no sandbox opens with it
    const git = `${this.#top}/${path}`;
    const files = isGitName(path.slice(path.lastIndexOf('/') + 1)) ? dirname(git) : git;
    const { paths, scripts, unreadable } = repositoryPaths({ git, files }, this.#budget);
    yield undefined;
    if (unreadable !== undefined) this.#addUnsearched([{ path, why: unreadable }]);
    for (const each of paths)
      for (const place of [this.#within(each.path), this.#within(realPlaceOf(each.path))])
        if (place !== undefined) {
          if (mayBeCreated(`${this.#top}/${place}`)) this.#toGuard.add(place);
          yield* this.#addAll(place, row.reader, place);
        }
    for (const each of scripts) {
      this.#addScript(this.#within(each), row);
      yield undefined;
    }
  }

  *#addNamed(found: Found): Steps<void> {
    const { paths, folders, unsearched } = yield* pathsNamedBy(found, this.#top, this.#budget);
    this.#addUnsearched(unsearched);
    for (const folder of folders) yield* this.#addAll(folder, found.row.reader, folder);
    for (const path of paths) {
      this.#addScript(path, found.row);
      yield undefined;
    }
  }

  /** Ignores folders: only a file can be a script. */
  #addScript(path: string | undefined, row: Found['row']): void {
    if (path === undefined) return;
    this.#roots.add(path);
    if (lstatAt(`${this.#top}/${path}`)?.isDirectory() !== false) return;
    this.#add(path, row.reader, path);
    const script = isGuardedRow(row) ? this.#within(scriptAt(`${this.#top}/${path}`)) : undefined;
    if (script !== undefined) this.#toGuard.add(script);
  }

  /** For a symlink, its target is guarded; git symlinks and names that are not UTF-8 are refused. A FIFO cannot be guarded. */
  #noteGuard({ path, kind, row }: Found): void {
    if (!isGuardedRow(row)) return;
    if (kind === 'file' || kind === 'folder' || isRepositoryRow(row) || !isUtf8Path(path)) this.#toGuard.add(path);
    else if (kind === 'link') {
      const real = realOf(`${this.#top}/${path}`);
      const target = this.#within(real);
      if (target !== undefined && ['file', 'folder'].includes(entryAt(real!))) this.#toGuard.add(target);
    }
  }

  #addUnsearched(unsearched: readonly Unsearched[]): void {
    for (const each of unsearched) if (!this.#unsearched.has(each.path)) this.#unsearched.set(each.path, each);
  }

  #within(path: string | undefined): string | undefined {
    return path === undefined ? undefined : relativeInside(this.#top, path) || undefined;
  }
}

/** Whether this folder, at or below a found path, is the folder of a repository. */
function isOfRepository(folder: string, found: string, names: readonly string[], root: string | undefined): boolean {
  if (folder === found && root === undefined) return true;
  const folded = new Set(names.map(foldName));
  const mayBe = folder === found || /^(?:modules|worktrees)\/./u.test(folder.slice(found.length + 1));
  return mayBe && isRepositoryByNames((name) => folded.has(foldName(name)));
}

/** Whether a path exists, or this user could create it: then a sandbox guards it. */
function mayBeCreated(path: string): boolean {
  if (lstatAt(path) !== undefined) return true;
  for (let folder = dirname(path); ; folder = dirname(folder))
    if (lstatAt(folder) !== undefined)
      try {
        accessSync(folder, constants.W_OK);
        return true;
      } catch {
        return false; // a command inside cannot create it either
      }
}
