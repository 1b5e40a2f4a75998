/** What `pincer init` says to people. */
import type { InitChoices } from '../../init/init.ts';
import type { ClientState, FileState } from '../../init/survey.ts';
import { visible } from '../visible.ts';

/** The answer as data. */
export interface Answer {
  readonly client: string;
  readonly scope: string;
  readonly status: 'written' | 'unchanged' | 'would-change' | 'needs-yes';
  readonly files: readonly {
    readonly path: string;
    /** The file that links lead to. */
    readonly linked?: string;
    readonly part: 'server' | 'hook';
    readonly action: 'create' | 'change' | 'delete' | 'none';
    readonly diff: string;
  }[];
  readonly notes: readonly string[];
}

const DONE = { create: 'made', change: 'changed', delete: 'removed', none: 'left alone' } as const;

export function answerText({ status, files, notes }: Answer, { client, remove }: InitChoices, colour: boolean): string {
  if (status === 'unchanged')
    return remove
      ? `${client.title} does not know pincer here: there is nothing to remove\n`
      : `${client.title} knows pincer already: there is nothing to change\n${files.map(({ path }) => `  ${visible(path)}\n`).join('')}`;
  const changed = files.filter(({ action }) => action !== 'none');
  const diffs = changed.map(({ diff }) => (colour ? painted(visible(diff)) : visible(diff))).join('\n');
  const told = notes.map((note) => `note: ${visible(note)}\n`).join('');
  if (status === 'written')
    return `${diffs}\n${changed.map(({ path, linked = path, action }) => `${DONE[action]} ${visible(linked)}\n`).join('')}${told}`;
  return `${diffs}\n${told}${status === 'needs-yes' ? 'nothing was written: --yes writes it\n' : ''}`;
}

function painted(diff: string): string {
  return diff
    .split('\n')
    .map((line) =>
      /^(?:---|\+\+\+)/u.test(line)
        ? `\u001b[1m${line}\u001b[0m`
        : line.startsWith('+')
          ? `\u001b[32m${line}\u001b[0m`
          : line.startsWith('-')
            ? `\u001b[31m${line}\u001b[0m`
            : line,
    )
    .join('\n');
}

export function surveyText(clients: readonly ClientState[]): string {
  const lines = clients.flatMap(({ name, title, program, found, files }) => {
    const ours = files.filter(({ entry, problem }) => entry !== undefined || problem !== undefined);
    const state = program ?? (found ? 'configured, but its program is not on PATH' : 'not found');
    return [`${name.padEnd(12)} ${title.padEnd(12)} ${visible(state)}`, ...ours.map((file) => `  ${fileText(file)}`)];
  });
  return `${lines.join('\n')}\n\npincer init <client> puts it in, pincer init <client> --remove takes it out\n`;
}

function fileText({ path, part, scope, problem }: FileState): string {
  if (problem !== undefined) return `? ${visible(problem)}`;
  return `knows pincer (${part === 'hook' ? 'hook' : 'server'}, ${scope}): ${visible(path)}`;
}
