/** Runs the agent on a scripted model in a new folder: `node examples/openai-agents/main.mjs`. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAgent } from './agent.mjs';
import { scripted } from './scripted.mjs';

const write = { path: 'hello.txt', content: 'Hello!\n' };
const text = await runAgent({
  model: scripted([
    { type: 'function_call', name: 'write', arguments: JSON.stringify(write), status: 'completed' },
    { type: 'function_call', name: 'exec', arguments: '{"command":"cat hello.txt"}', status: 'completed' },
  ]),
  prompt: 'Write a greeting to hello.txt and show it.',
  workspace: mkdtempSync(join(tmpdir(), 'pincer-example-')),
  host: 'gateway',
  ask: async (call) => {
    console.log(`asked: ${call.name} ${call.arguments}; answered: yes`);
    return true;
  },
});
console.log(text);
