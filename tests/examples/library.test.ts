import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runAgent } from '../../examples/library/agent.mjs';
import { scripted } from '../../examples/library/scripted.mjs';
import { daemonPlace } from '../support/daemon.ts';
import { makeFolder } from '../support/folder.ts';

describe('the example of an agent of your own', () => {
  it('writes a file, asks before it runs a command, and hears what it prints', async () => {
    const { stateDir } = daemonPlace();
    const workspace = makeFolder();
    const asked: string[] = [];
    const text = await runAgent({
      model: scripted(),
      workspace,
      stateDir,
      host: 'gateway',
      ask: async ({ command }) => {
        asked.push(command);
        return 'allow-once';
      },
    });
    expect(asked).toEqual(['cat hello.txt']);
    expect(text).toBe('Successfully wrote 7 bytes to hello.txt\nHello!');
    expect(readFileSync(join(workspace, 'hello.txt'), 'utf8')).toBe('Hello!\n');
  });

  it('goes on after a no', async () => {
    const { stateDir } = daemonPlace();
    const ask = async () => 'deny' as const;
    const text = await runAgent({ model: scripted(), workspace: makeFolder(), stateDir, host: 'gateway', ask });
    expect(text).toMatch(/denied/u);
  });
});
