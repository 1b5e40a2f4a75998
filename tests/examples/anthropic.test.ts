import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runAgent } from '../../examples/anthropic/agent.mjs';
import { scripted } from '../../examples/anthropic/scripted.mjs';
import { daemonPlace } from '../support/daemon.ts';
import { makeFolder } from '../support/folder.ts';

interface Said {
  readonly calls: { name: string; input: object }[];
  readonly answer?: 'allow-once' | 'deny';
  readonly shapes?: 'ours' | 'known';
}

async function run({ calls, answer = 'allow-once', shapes = 'ours' }: Said) {
  const service = await scripted(calls);
  onTestFinished(() => service.close());
  const workspace = makeFolder({ 'a.txt': 'one\n' });
  const asked: string[] = [];
  const text = await runAgent({
    client: new Anthropic({ apiKey: 'none', baseURL: service.baseURL }),
    model: 'scripted',
    prompt: 'go',
    workspace,
    stateDir: daemonPlace().stateDir,
    host: 'gateway',
    shapes,
    ask: async ({ command }) => {
      asked.push(command);
      return answer;
    },
  });
  return { text, asked, workspace, offered: service.offered };
}

describe("the example on Anthropic's tool runner", () => {
  it.each([
    { answer: 'allow-once' as const, told: 'told: (no output)', made: true },
    { answer: 'deny' as const, told: /^failed: .*denied/su, made: false },
  ])('asks before it runs a command, and does as it is answered: $answer', async ({ answer, told, made }) => {
    const { text, asked, workspace } = await run({
      calls: [{ name: 'exec', input: { command: 'touch made' } }],
      answer,
    });
    expect(text).toMatch(told);
    expect([asked, existsSync(join(workspace, 'made'))]).toEqual([['touch made'], made]);
  });

  it('serves the tools whose shapes the models know', async () => {
    const { text, workspace, offered } = await run({
      shapes: 'known',
      calls: [
        {
          name: 'str_replace_based_edit_tool',
          input: { command: 'insert', path: 'a.txt', insert_line: 1, insert_text: 'two' },
        },
        { name: 'bash', input: { command: 'cat a.txt' } },
      ],
    });
    expect(offered[0]).toEqual(['bash bash_20250124', 'str_replace_based_edit_tool text_editor_20250728']);
    expect([text, readFileSync(join(workspace, 'a.txt'), 'utf8')]).toEqual(['told: one\ntwo', 'one\ntwo\n']);
  });

  it('tells the model what failed', async () => {
    const { text } = await run({ calls: [{ name: 'read', input: { path: 'nope' } }] });
    expect(text).toMatch(/^failed: .*file not found: nope/u);
  });
});
