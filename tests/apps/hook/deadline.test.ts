/** The deadline of a hook: a client takes silence for yes, so the hook blocks the call itself. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answerInTime } from '../../../src/apps/hook/deadline.ts';
import { claudeEvent } from './events.ts';
import { hookPlace } from './place.ts';

function task() {
  const { folder, env } = hookPlace({});
  const cwd = join(folder, 'project');
  const event = JSON.stringify(claudeEvent('Bash', { command: 'ls' }, cwd));
  return { client: 'claude-code', event, agent: 'main', env, cwd, hasTerminal: true };
}

it('blocks the call where another process has not decided in time', async () => {
  // No process of Node starts within a millisecond.
  await expect(answerInTime(task(), 1)).rejects.toMatchObject({
    code: 'TOOL_TIMEOUT',
    message: 'the call was not judged within 0.001 s, so it is blocked',
  });
});

it('gives the answer of that process otherwise', async () => {
  expect(await answerInTime(task())).toContain('"permissionDecision":"allow"');
});

it('blocks the call where that process fails', async () => {
  await expect(answerInTime({ ...task(), event: '{' })).rejects.toMatchObject({ code: 'USAGE_HOOK_INPUT' });
});
