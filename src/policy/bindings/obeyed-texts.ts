/**
 * The texts that decide what a command does, beside its words. A rule is bound to them when it is stored, and they are computed in the
 * same way when a command is judged: the rule matches where both are equal.
 */
import type { Binary, BoundText, ChangedText, Lookup } from '../../wire/policy.ts';
import { ABSENT } from '../../wire/policy.ts';
import { namesOf } from '../programs/names.ts';
import { buildFiles } from './build-files.ts';
import { type ObeyedTexts, Unbindable } from './found-texts.ts';
import { gitTexts } from './git-texts.ts';
import { packageScripts } from './package-scripts.ts';
import { scriptFiles } from './script-files.ts';

export interface TextsContext {
  readonly cwd: string;
  readonly lookup: Lookup;
  /** The folder of the rule. Default: the working folder. */
  readonly root?: string | undefined;
}

/** Undefined where no text decides; `unbindable` where one does and cannot be determined. */
export function obeyedTexts(
  call: { readonly binary: Binary; readonly args: readonly string[] },
  { cwd, lookup, root = cwd }: TextsContext,
): ObeyedTexts | { readonly unbindable: string } | undefined {
  const { binary, args } = call;
  const names = namesOf(binary.path, binary);
  const folder = lookup.realPath(cwd) ?? cwd;
  const realRoot = lookup.realPath(root) ?? root;
  try {
    return (
      packageScripts(names, args, folder, lookup) ??
      buildFiles(names, args, folder, lookup) ??
      gitTexts(names, args, folder, lookup) ??
      scriptFiles(names, call, { folder, root: realRoot, lookup })
    );
  } catch (error) {
    if (error instanceof Unbindable) return { unbindable: error.message };
    throw error;
  }
}

/** What differs between the texts of a rule and those of now; empty where nothing does. */
export function changedTexts(bound: readonly BoundText[], now: readonly BoundText[]): readonly ChangedText[] {
  const keys = [...new Set([...bound, ...now].map(keyOf))];
  return keys.flatMap((key): readonly ChangedText[] => {
    const before = bound.find((one) => keyOf(one) === key);
    const after = now.find((one) => keyOf(one) === key);
    if ((before?.sha256 ?? ABSENT) === (after?.sha256 ?? ABSENT)) return [];
    const { file, at } = (before ?? after)!;
    return [
      {
        file,
        ...(at === undefined ? {} : { at }),
        ...(before?.text === undefined ? {} : { before: before.text }),
        ...(after?.text === undefined ? {} : { after: after.text }),
      },
    ];
  });
}

const LONGEST_SHOWN = 120;

/** Changed texts in words: `scripts.test of package.json is now "x", not "y"`. */
export function changedText(changed: readonly ChangedText[]): string {
  const [first, ...rest] = changed.map(({ file, at, before, after }) => {
    const what = at === undefined ? file : `${nameOf(at)} of ${file}`;
    const isShort = [before, after].every(
      (text) => text === undefined || (text.length <= LONGEST_SHOWN && !text.includes('\n')),
    );
    if (!isShort || (before === undefined && after === undefined)) return `${what} changed`;
    if (before === undefined) return `${what} is new: ${JSON.stringify(after)}`;
    return after === undefined
      ? `${what} was removed`
      : `${what} is now ${JSON.stringify(after)}, not ${JSON.stringify(before)}`;
  });
  return [first, ...(rest.length === 0 ? [] : [`and ${rest.length} more`])].join(', ');
}

/** `/scripts/test` is `scripts.test`. */
export function nameOf(at: string): string {
  if (!at.startsWith('/')) return at;
  return at
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}

function keyOf({ file, at }: BoundText): string {
  return JSON.stringify([file, at ?? '']);
}
