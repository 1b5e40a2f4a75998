import { dirname } from 'node:path';
import { identityOf, ownInstallation } from './installation.ts';
import { foldName } from '../../obeyed/fold-name.ts';
import type { ReachedFile } from './other-paths.ts';
import { FOLDS_CASE, isWithin } from './protect.ts';
import { programProtected } from './refusals.ts';
import { splitPath } from './steps.ts';

/** Whether a path leads into a package `pincer`, or is the link that starts it, in any `node_modules` folder. */
export function isPincerPackage(path: string): boolean {
  const names = splitPath(path).map(foldName);
  return names.some((name, i) => {
    if (name !== 'node_modules') return false;
    const [first, second = ''] = names.slice(i + 1);
    return first === 'pincer' || (first === '.bin' && /^pincer(?:\.\w+)?$/u.test(second));
  });
}

/** Refuses to write what Pincer runs from, by every path and spelling; no setting allows it. */
export function refuseProgram(files: readonly ReachedFile[]): void {
  const { closed, identities } = ownInstallation();
  const looked = new Map<string, boolean>();
  const isOwn = (path: string): boolean => {
    const known = looked.get(path);
    if (known !== undefined) return known;
    const above = dirname(path);
    const is = identityOf(path).some((identity) => identities.has(identity)) || (above !== path && isOwn(above));
    looked.set(path, is);
    return is;
  };
  for (const { file, paths } of files) {
    const { path } = file;
    const isClosed =
      paths.some(isPincerPackage) ||
      closed.some((one) => isWithin(path, one, FOLDS_CASE) || isWithin(one, path, FOLDS_CASE)) ||
      isOwn(path);
    if (isClosed) throw programProtected(path);
  }
}
