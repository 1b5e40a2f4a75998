/** Whether the files of a call are those that it may read and write where only its profile allows it. */
import type { Lookup, Rules } from '../../wire/policy.ts';
import type { Finding } from '../programs/finding.ts';
import {
  type FileProblem,
  isReadableFolder,
  isSecret,
  outside,
  readProblem,
  secret,
  writeProblem,
} from './file-scope.ts';
import type { AcceptedCall, FileUse } from './match.ts';

export interface Scope {
  readonly lookup: Lookup;
  /** The folder that relative paths start in. */
  readonly cwd: string;
}

/** Why a call reads what only a person may show to the agent. */
export function readFinding(call: AcceptedCall, scope: Scope, rules: Pick<Rules, 'allowlist'>): Finding | undefined {
  const folder = scope.lookup.placeOf(scope.cwd);
  if (!isReadableFolder(folder, scope.lookup, rules)) return finding(0, outside(folder));
  const scopes = scopesOf(call, scope);
  for (const file of call.files)
    for (const one of scopes) {
      const problem = fileProblem(file, one, rules);
      if (problem !== undefined) return finding(file.word, problem);
    }
  return call.follows ? linkFinding(call, scope) : undefined;
}

/** Why a call changes files that the agent may not change. `onlyFiles`: it is not known which files of a folder it changes. */
export function writeFinding(
  call: AcceptedCall,
  scope: Scope,
  rules: Pick<Rules, 'starter'>,
  onlyFiles: boolean,
): Finding | undefined {
  const { lookup } = scope;
  for (const { use, path, word } of call.files) {
    if (use !== 'wout') continue;
    const problem = writeProblem(absolute(path, scope), lookup, rules);
    if (problem !== undefined) return finding(word, problem);
    if (lookup.placeOf(absolute(path, scope)) === lookup.workspace())
      return finding(word, { ...outside(path), code: 'write-workspace', reason: `${path} is the whole workspace` });
    if (onlyFiles && lookup.isFolder(absolute(path, scope)))
      return finding(word, {
        ...outside(path),
        code: 'write-folder',
        reason: `it changes all files of the folder ${path}`,
      });
  }
  return undefined;
}

/** A program that changes to another folder may resolve some of its paths before that. */
function scopesOf({ files }: AcceptedCall, scope: Scope): readonly Scope[] {
  const folders = files.flatMap(({ use, path }) => (use === 'folder' ? [absolute(path, scope)] : []));
  return [scope, ...folders.map((cwd) => ({ ...scope, cwd }))];
}

function fileProblem({ use, path }: FileUse, scope: Scope, rules: Pick<Rules, 'allowlist'>): FileProblem | undefined {
  if (use === 'wout') return undefined;
  if (use === 'rev') {
    if (isSecret(path.slice(path.lastIndexOf(':') + 1).replace(/^(?:\(.*?\)|[/!^]+)/u, ''))) return secret(path);
    if (!isPath(path, scope)) return undefined;
  }
  return readProblem(absolute(path, scope), scope.lookup, rules);
}

/** Whether git would read a word as a path outside of its objects. */
function isPath(word: string, scope: Scope): boolean {
  return (
    word.startsWith('/') || word.split('/').includes('..') || scope.lookup.realPath(absolute(word, scope)) !== undefined
  );
}

/** Folders that it reads whole, with what links in them point to. */
function linkFinding({ files }: AcceptedCall, scope: Scope): Finding | undefined {
  const named = files.filter(({ use }) => use === 'in');
  for (const { path, word } of named.length === 0 ? [{ path: '.', word: 0 }] : named) {
    const problem = scope.lookup.leadsOut(scope.lookup.placeOf(absolute(path, scope)));
    if (problem !== undefined) return finding(word, { ...outside(path), reason: `it follows links, and ${problem}` });
  }
  return undefined;
}

function absolute(path: string, { cwd }: Scope): string {
  return path.startsWith('/') ? path : `${cwd}/${path}`;
}

function finding(word: number, { code, reason, hint, hintFor }: FileProblem): Finding {
  const explicit = code === 'read-secret' ? { explicit: true as const } : {};
  return { verdict: 'ask', code, reason, hint, hintFor, word, storable: true, ...explicit };
}
