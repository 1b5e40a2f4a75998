/** Finds texts that decide what a command does, and turns them into what a rule is bound to. */
import { ABSENT, type BoundText, type Lookup } from '../../wire/policy.ts';

export interface ObeyedTexts {
  readonly kind: 'package-scripts' | 'build-file' | 'script' | 'remotes' | 'hooks';
  readonly texts: readonly BoundText[];
  /** What decides as well and is not bound, in words; empty for nothing. */
  readonly notBound: string;
}

/** A longer text is bound by its hash alone, and its difference cannot be shown. */
export const LONGEST_KEPT = 16 * 1024;

/** A text cannot be read, so a rule cannot be bound to it. */
export class Unbindable extends Error {}

/** The whole file. */
export function wholeFile(file: string, lookup: Lookup): BoundText {
  const found = fileText(file, lookup);
  return found === undefined ? { file, sha256: ABSENT } : { file, sha256: found.sha256, ...kept(found.text) };
}

/** A part of a file, or another text that the machine reports, such as a git setting. */
export function textIn(file: string, at: string, text: string | undefined, lookup: Lookup): BoundText {
  return text === undefined ? { file, at, sha256: ABSENT } : { file, at, sha256: lookup.sha256(text), ...kept(text) };
}

export function fileText(file: string, lookup: Lookup): { readonly text: string; readonly sha256: string } | undefined {
  const found = lookup.textOf(file);
  if (found !== undefined && 'unreadable' in found) throw new Unbindable(found.unreadable);
  return found;
}

/** The file of this name in the folder or the nearest one above it; where none exists, the one in the folder, which is absent. */
export function nearestFile(folder: string, name: string, lookup: Lookup): string {
  return (
    foldersUp(folder)
      .map((one) => within(one, name))
      .find((file) => fileText(file, lookup) !== undefined) ?? within(folder, name)
  );
}

/** The file in the folder, and all existing ones of this name above it. */
export function filesAbove(folder: string, name: string, lookup: Lookup): readonly string[] {
  const [own = folder, ...above] = foldersUp(folder).map((one) => within(one, name));
  return [own, ...above.filter((file) => fileText(file, lookup) !== undefined)];
}

export function within(folder: string, name: string): string {
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
}

export function folderOf(file: string): string {
  return file.slice(0, Math.max(1, file.lastIndexOf('/')));
}

function foldersUp(folder: string): readonly string[] {
  const found = [folder];
  for (let at = folder; at !== '/' && at !== ''; ) {
    at = folderOf(at);
    found.push(at);
  }
  return found;
}

function kept(text: string): Pick<BoundText, 'text'> {
  return text.length > LONGEST_KEPT ? {} : { text };
}
