import { expect, test } from 'vitest';
import { listed, type ListView } from '../../../../src/page/screens/sessions/search.ts';
import { sessionExample } from './session-example.ts';

const SESSIONS = [
  sessionExample({ id: 'old', startedAt: 1, status: 'completed', exitCode: 0, command: 'git tag v1' }),
  sessionExample({ id: 'first', startedAt: 2, agent: 'ops', host: 'node', node: { id: 'n1', name: 'build-1' } }),
  sessionExample({ id: 'lost', startedAt: 3, status: 'failed', failure: 'lost', command: 'docker build .' }),
  sessionExample({ id: 'second', startedAt: 4, waitingForInput: true, command: 'vim "deploy notes.md"' }),
  sessionExample({ id: 'boxed', startedAt: 5, sandbox: true, host: 'sandbox', command: 'npm run build' }),
];

function ids(search: string, view: ListView = 'all'): readonly string[] {
  return listed(SESSIONS, view, search, 10).map(({ id }) => id);
}

test('running sessions come first, and the newest first', () => {
  expect(ids('')).toEqual(['boxed', 'second', 'first', 'lost', 'old']);
});

test('a lost session is among the ended ones', () => {
  expect(ids('', 'ended')).toEqual(['lost', 'old']);
  expect(ids('', 'running')).toEqual(['boxed', 'second', 'first']);
});

test.each([
  ['npm build', ['boxed']],
  ['"npm build"', []],
  ['"deploy notes"', ['second']],
  ['agent:OPS', ['first']],
  ['host:build-1', ['first']],
  ['host:sandbox', ['boxed']],
  ['host:"this machine" state:lost', ['lost']],
  ['state:waits', ['second']],
  ['second', ['second']],
  ['"open', []],
  ['unknown:field', []],
])('%s finds %o', (search, found) => {
  expect(ids(search)).toEqual(found);
});
