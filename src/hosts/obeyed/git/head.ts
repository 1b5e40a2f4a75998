/** The file HEAD, by which git decides whether a folder is a repository. */
import { linkText, readFile, readWholeFile } from '../reading.ts';

/** Git reads no more. */
const MOST_BYTES = 255;
/** The two forms that git writes: a branch name, or a commit id. */
const EXACT = /^(?:ref: refs\/[^\0- \u007f]+|[0-9a-f]{40}|[0-9a-f]{64})\n?$/u;
/** The prefix of all forms that git accepts. */
const ACCEPTED = /^(?:ref:[ \t\n\v\f\r]*refs\/|[0-9a-f]{40})/iu;

/** Whether git certainly accepts this as HEAD: a file in one of its forms, or the old form, a symlink to `refs/`. */
export function isHead(path: string): boolean {
  const link = linkText(path);
  if (link !== undefined) return link.startsWith('refs/');
  const bytes = readWholeFile(path, MOST_BYTES);
  return Buffer.isBuffer(bytes) && EXACT.test(bytes.toString('latin1'));
}

/** Whether git may accept this as HEAD, now or after a symlink is redirected. */
export function mayBeHead(path: string): boolean {
  if (linkText(path) !== undefined) return true;
  const bytes = readFile(path, MOST_BYTES);
  return bytes !== undefined && ACCEPTED.test(bytes.toString('latin1'));
}
