import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runAgent } from '../../examples/ai-sdk/agent.mjs';
import { scripted } from '../../examples/ai-sdk/scripted.mjs';
import { daemonPlace } from '../support/daemon.ts';
import { makeFolder } from '../support/folder.ts';

async function run(command: string, answer: boolean) {
  const { stateDir } = daemonPlace();
  const workspace = makeFolder();
  const asked: unknown[] = [];
  const { text } = await runAgent({
    model: scripted([
      { toolName: 'write', input: { file_path: 'hello.txt', content: 'Hello!\n' } },
      { toolName: 'exec', input: { cmd: command } },
    ]),
    prompt: 'go',
    workspace,
    stateDir,
    host: 'gateway',
    ask: async ({ input }) => {
      asked.push(input);
      return answer;
    },
  });
  return { text, asked, made: existsSync(join(workspace, 'made')) };
}

describe('the example on the AI SDK', () => {
  it('asks before a command runs that no rule allows', async () => {
    expect(await run('touch made', true)).toEqual({
      text: 'told: (no output)',
      asked: [{ command: 'touch made' }],
      made: true,
    });
  });

  it('does not run it after a no', async () => {
    expect(await run('touch made', false)).toEqual({
      text: expect.stringContaining('told: ') as string,
      asked: [{ command: 'touch made' }],
      made: false,
    });
  });
});
