/** Runs the agent on a scripted service in a new folder: `node examples/anthropic/main.mjs`. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { runAgent } from './agent.mjs';
import { scripted } from './scripted.mjs';

const service = await scripted([
  { name: 'write', input: { path: 'hello.txt', content: 'Hello!\n' } },
  { name: 'exec', input: { command: 'cat hello.txt' } },
]);
const text = await runAgent({
  client: new Anthropic({ apiKey: 'none', baseURL: service.baseURL }),
  model: 'scripted',
  prompt: 'Write a greeting to hello.txt and show it.',
  workspace: mkdtempSync(join(tmpdir(), 'pincer-example-')),
  host: 'gateway',
  ask: async ({ command, reason }) => {
    console.log(`asked: ${command} (${reason}); answered: allow-once`);
    return 'allow-once';
  },
});
console.log(text);
await service.close();
