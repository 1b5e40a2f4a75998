/** Judges the redirections of a command: input is read, output is written through the file boundary. */
import type { Rules } from '../../wire/policy.ts';
import type { Redirect } from '../../wire/steps.ts';
import { type FileProblem, readProblem, writeProblem } from '../grammar/file-scope.ts';
import { forAgent } from '../hint.ts';
import { expandText, type Values } from './expand.ts';

/** A redirection with the path that it has now. `/dev/null` keeps its name; `/dev/stdout` and `/dev/stderr` are copies. */
export type PlacedRedirect =
  | { readonly kind: 'output'; readonly from: number; readonly append: boolean; readonly path: string }
  | { readonly kind: 'input'; readonly path: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'copy'; readonly from: number; readonly to: number };

export interface JudgedRedirect {
  readonly placed?: PlacedRedirect;
  readonly finding?: FileProblem;
}

export const NO_FILE = '/dev/null';
const STREAMS: Readonly<Record<string, number>> = { '/dev/stdout': 1, '/dev/stderr': 2 };

/** `readsAnything`: an entry covers the program with any file. */
export function judgeRedirect(
  redirect: Redirect,
  values: Values,
  rules: Rules,
  readsAnything: boolean,
): JudgedRedirect {
  if (redirect.kind === 'text' || redirect.kind === 'copy') return { placed: redirect };
  const file = expandText(redirect.file, values);
  if ('problem' in file) return { finding: { code: 'expansion', reason: file.problem, ...forAgent('name the file') } };
  const path = file.text.startsWith('/') ? file.text : `${values.cwd}/${file.text}`;
  if (redirect.kind === 'input') {
    const placed = { kind: 'input', path } as const;
    if (path === NO_FILE || readsAnything) return { placed };
    const finding = readProblem(path, values.lookup, rules);
    return finding === undefined ? { placed } : { placed, finding };
  }
  const { from } = redirect;
  if (Object.hasOwn(STREAMS, path)) return { placed: { kind: 'copy', from, to: STREAMS[path]! } };
  const placed = { kind: 'output', from, append: redirect.append === 'yes', path } as const;
  if (path === NO_FILE) return { placed };
  const finding = writeProblem(path, values.lookup, rules);
  return finding === undefined ? { placed } : { placed, finding };
}
