/** Runs the agent on a scripted model in a new folder: `node examples/ai-sdk/main.mjs`. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAgent } from './agent.mjs';
import { scripted } from './scripted.mjs';

const { text } = await runAgent({
  model: scripted([
    { toolName: 'write', input: { path: 'hello.txt', content: 'Hello!\n' } },
    { toolName: 'exec', input: { command: 'cat hello.txt' } },
  ]),
  prompt: 'Write a greeting to hello.txt and show it.',
  workspace: mkdtempSync(join(tmpdir(), 'pincer-example-')),
  host: 'gateway',
  ask: async ({ toolName, input }) => {
    console.log(`asked: ${toolName} ${JSON.stringify(input)}; answered: yes`);
    return true;
  },
});
console.log(text);
