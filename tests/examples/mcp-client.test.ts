import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callTools } from '../../examples/mcp-client/client.mjs';
import { daemonPlace } from '../support/daemon.ts';
import { makeFolder } from '../support/folder.ts';

const PROGRAM = join(import.meta.dirname, '../../dist/pincer.cjs');

describe('the example of a client of MCP', () => {
  it.each(['auto', 'legacy'] as const)('calls the tools and answers what it is asked, with era %s', async (era) => {
    const workspace = makeFolder();
    const asked: string[] = [];
    const { names, answers } = await callTools({
      era,
      command: process.execPath,
      args: [PROGRAM, 'mcp', '--workspace', workspace],
      env: daemonPlace().env,
      calls: [
        { name: 'write', arguments: { file_path: 'hello.txt', content: 'Hello!\n' } },
        { name: 'exec', arguments: { command: 'touch made', host: 'gateway' } },
        { name: 'read', arguments: { path: 'nope.txt' } },
      ],
      ask: async (message) => {
        asked.push(message);
        return 'allow-once';
      },
    });
    expect(names).toEqual(expect.arrayContaining(['read', 'write', 'edit', 'exec', 'process', 'path']));
    expect(answers[0]).toEqual({ text: 'Successfully wrote 7 bytes to hello.txt', isError: false });
    expect(answers[2]).toEqual({ text: expect.stringMatching(/^file not found/u) as string, isError: true });
    expect(asked).toEqual([expect.stringContaining('touch made') as string]);
    expect(existsSync(join(workspace, 'made'))).toBe(true);
  });
});
