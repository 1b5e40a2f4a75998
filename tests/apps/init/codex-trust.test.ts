/** The trust of Codex, by the hash that Codex itself compares. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { untrustedByCodex } from '../../../src/apps/init/codex-trust.ts';
import { makeFolder } from '../../support/folder.ts';

// SHA-256 of the JSON of event, hook and matcher with sorted members, computed by another program.
const HASH = 'sha256:7e31efdd6e76a1af5d4c3d831c9a61b642d60ae8694fb4fbfe7bdc9d7622934f';
const hook = { type: 'command', command: 'pincer hook codex || exit 2', timeout: 600 };
const FILE = '/p/.codex/hooks.json';

function reason(state: string, changes: object = {}, hookChanges: object = {}): string | undefined {
  const home = makeFolder({ '.codex/config.toml': state });
  const placed = { group: 0, index: 0, matcher: '*', hook: { ...hook, ...hookChanges }, ...changes };
  return untrustedByCodex(placed, FILE, { home, env: { CODEX_HOME: join(home, '.codex') } })?.why;
}

const state = (key: string, more = ''): string =>
  `[hooks.state."${FILE}:pre_tool_use:${key}"]\ntrusted_hash = "${HASH}"\n${more}`;

it('applies to exactly the trusted hook', () => {
  expect(reason(state('0:0'))).toBeUndefined();
});

it.each([
  ['nothing is trusted', () => reason('')],
  ['another hook of the file is', () => reason(state('0:1'))],
  ['a comment says so', () => reason(state('0:0').replaceAll(/^/gmu, '# '))],
  ['a value of another table says so', () => reason(`[x]\ny = '''${state('0:0')}'''\n`)],
])('does not hold where %s', (_, why) => {
  expect(why()).toBe('Codex does not run the hook before you trust it');
});

it.each([
  ['command', () => reason(state('0:0'), {}, { command: 'pincer hook codex' })],
  ['time limit', () => reason(state('0:0'), {}, { timeout: 5 })],
  ['matcher', () => reason(state('0:0'), { matcher: 'Bash' })],
  ['member that is not known', () => reason(state('0:0'), {}, { async: true })],
])('does not hold for another %s', (_, why) => {
  expect(why()).toMatch(/because it was trusted in another form/u);
});

it('does not count for a hook that is disabled', () => {
  expect(reason(state('0:0', 'enabled = false\n'))).toMatch(/because it is disabled there/u);
});
