/** A script file that an interpreter runs, or a program in the folder of the rule. */
import { isInside } from '../../base/inside.ts';
import type { Binary, Lookup } from '../../wire/policy.ts';
import { isScriptRunner } from '../programs/interpreters.ts';
import { type ObeyedTexts, wholeFile, within } from './found-texts.ts';

/** Undefined where the call runs neither. */
export function scriptFiles(
  names: ReadonlySet<string>,
  { binary, args }: { readonly binary: Binary; readonly args: readonly string[] },
  { folder, root, lookup }: { readonly folder: string; readonly root: string; readonly lookup: Lookup },
): ObeyedTexts | undefined {
  const notBound = 'the files that it loads';
  const own = isInside(binary.real, root) ? [wholeFile(binary.real, lookup)] : [];
  const script = [...names].some((name) => isScriptRunner(name)) ? scriptOf(args) : undefined;
  if (script === undefined) return own.length === 0 ? undefined : { kind: 'script', texts: own, notBound };
  const path = script.startsWith('/') ? script : within(folder, script);
  return { kind: 'script', texts: [...own, wholeFile(lookup.realPath(path) ?? path, lookup)], notBound };
}

/** Options of interpreters that are accepted have no separate values, so the first operand is the script. */
function scriptOf(args: readonly string[]): string | undefined {
  const end = args.indexOf('--');
  const at = args.findIndex((arg, i) => (end >= 0 && i > end) || !arg.startsWith('-'));
  return at < 0 ? undefined : args[at];
}
