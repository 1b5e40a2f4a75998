/**
 * What a tool's path means, without looking at the disk:
 *   src/a.ts  ../x   relative to the workspace   /ws/src/a.ts   absolute, below the real or given path of the workspace
 *   ~/x              relative to the home        file:///ws/a   a URL of this machine
 *   @src/a.ts        `@` is dropped if neither `@src/a.ts` nor `@src` exists; models put it before file names
 * Everything else is literal: backslashes, blanks, `~user`, any Unicode form.
 */
import { isAbsolute } from 'node:path';
import { nameInvalid, nameTooLong, nulInName, outsideRoot } from './refusals.ts';
import type { Root } from './root.ts';
import { splitPath, stepsBelow } from './steps.ts';

const MOST_NAME_BYTES = 255;
const MOST_PATH_BYTES = 4095;
/** With the `u` flag a surrogate pair is one character, so that only lone surrogates match. */
const LONE_SURROGATE = /[\ud800-\udfff]/u;

export interface PathBase {
  /** The folder that no path may leave. */
  readonly root: Root;
  /** The names from the root to the workspace; empty if the root is the workspace. */
  readonly start: readonly string[];
  readonly home: string | undefined;
}

/** The names from the root that a path means, and the path without its `@`, in case its first name does not exist. */
export function readToolPath(
  asked: string,
  base: PathBase,
): { readonly steps: readonly string[]; readonly withoutAt?: string } {
  if (asked === '') throw nameInvalid(asked, 'it is empty', 'give the path of a file');
  if (asked.includes('\0')) throw nulInName(asked);
  if (LONE_SURROGATE.test(asked)) throw nameInvalid(asked, 'it is not valid Unicode', 'remove the lone surrogates');
  const path = expand(asked, base);
  const steps = isAbsolute(path) ? stepsBelow(base.root, path) : [...base.start, ...splitPath(path)];
  if (steps === undefined) throw outsideRoot(asked, base.root.path, 'the path is absolute');
  refuseTooLong(asked, steps);
  return { steps, ...(/^@./u.test(asked) && { withoutAt: asked.slice(1) }) };
}

function expand(asked: string, { home }: PathBase): string {
  if (/^file:\/\//iu.test(asked)) return fromUrl(asked);
  if (asked !== '~' && !asked.startsWith('~/')) return asked;
  if (home === undefined) throw nameInvalid(asked, 'there is no home folder', 'use a path relative to the workspace');
  return home + asked.slice(1);
}

function fromUrl(asked: string): string {
  const [, host = '', path = ''] = /^file:\/\/([^/]*)(.*)$/isu.exec(asked) ?? [];
  if (host !== '' && host.toLowerCase() !== 'localhost')
    throw nameInvalid(asked, `the URL names another machine, ${host}`, 'name a file of this machine');
  if (/%2f|%5c/iu.test(path)) throw nameInvalid(asked, 'it has an encoded slash', 'write the slashes unencoded');
  if (/%00/u.test(path)) throw nulInName(asked);
  if (path === '') throw nameInvalid(asked, 'the URL has no path', 'give the path of a file');
  try {
    return decodeURIComponent(path.replace(/[?#].*$/su, ''));
  } catch {
    throw nameInvalid(asked, 'its percent encoding is invalid', 'write the path without file://');
  }
}

function refuseTooLong(asked: string, steps: readonly string[]): void {
  let total = 0;
  for (const step of steps) {
    const bytes = Buffer.byteLength(step);
    if (bytes > MOST_NAME_BYTES) throw nameTooLong(step, 'name', bytes, MOST_NAME_BYTES);
    total += bytes + 1;
  }
  if (total > MOST_PATH_BYTES) throw nameTooLong(asked, 'path', total, MOST_PATH_BYTES);
}
