/** Judges the redirections of a command: input is read, output is written through the file boundary. */
import { isInside } from '../../base/inside.ts';
import type { Lookup, Rules } from '../../wire/policy.ts';
import type { Redirect } from '../../wire/steps.ts';
import { forAgent, forOperator, type Hint } from '../hint.ts';
import { expandText, type Values } from './expand.ts';

/** A redirection with the path that it has now. `/dev/null` keeps its name; `/dev/stdout` and `/dev/stderr` are copies. */
export type PlacedRedirect =
  | { readonly kind: 'output'; readonly from: number; readonly append: boolean; readonly path: string }
  | { readonly kind: 'input'; readonly path: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'copy'; readonly from: number; readonly to: number };

/** Why a redirection needs approval. */
export interface RedirectFinding extends Hint {
  readonly code: string;
  readonly reason: string;
  /** The file boundary does not do it, so a person can only allow the whole text for a shell. */
  readonly isBeyondFiles?: true;
}

export interface JudgedRedirect {
  readonly placed?: PlacedRedirect;
  readonly finding?: RedirectFinding;
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
    const finding = readProblem(path, values.lookup);
    return finding === undefined ? { placed } : { placed, finding };
  }
  const { from } = redirect;
  if (Object.hasOwn(STREAMS, path)) return { placed: { kind: 'copy', from, to: STREAMS[path]! } };
  const placed = { kind: 'output', from, append: redirect.append === 'yes', path } as const;
  if (path === NO_FILE) return { placed };
  const finding = writeProblem(path, values.lookup, rules);
  return finding === undefined ? { placed } : { placed, finding };
}

/** Why a file is not read without approval. */
function readProblem(path: string, lookup: Lookup): RedirectFinding | undefined {
  const place = lookup.placeOf(path);
  if ([lookup.workspace(), '/usr'].some((folder) => isInside(place, folder))) return undefined;
  return {
    code: 'read-outside',
    reason: `${place} is not in the workspace`,
    ...forOperator('a person can allow this command'),
  };
}

/** Why a file is not written without approval. */
export function writeProblem(path: string, lookup: Lookup, rules: Pick<Rules, 'starter'>): RedirectFinding | undefined {
  const place = lookup.placeOf(path);
  if (!isInside(place, lookup.workspace()))
    return {
      code: 'write-outside',
      reason: `${place} is not in the workspace`,
      ...forAgent('write a file in the workspace'),
      isBeyondFiles: true,
    };
  const reader = lookup.closedTo(place);
  if (reader !== undefined)
    return {
      code: reader === 'git' ? 'write-git' : 'write-obeyed',
      reason: reader === 'git' ? `${place} belongs to git` : `${reader} obeys ${place}`,
      ...forOperator('a person can allow this command'),
      isBeyondFiles: true,
    };
  if (rules.starter === 'workspace') return undefined;
  return {
    code: 'write',
    reason: `the command writes ${place}, and tools.exec.starter does not allow commands to write files`,
    ...forOperator('pincer config set tools.exec.starter workspace lets commands write in the workspace'),
  };
}
