/** Calls the tools of the built program in a new folder: `node examples/mcp-client/main.mjs`. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { callTools } from './client.mjs';

const program = fileURLToPath(new URL('../../dist/pincer.cjs', import.meta.url));
const workspace = mkdtempSync(join(tmpdir(), 'pincer-example-'));
const { names, answers } = await callTools({
  command: process.execPath,
  args: [program, 'mcp', '--workspace', workspace, '--agent', 'example'],
  calls: [
    { name: 'write', arguments: { path: 'hello.txt', content: 'Hello!\n' } },
    { name: 'exec', arguments: { command: 'cat hello.txt', host: 'gateway' } },
  ],
  onProgress: (message) => console.log(`… ${message}`),
  ask: async (message) => {
    console.log(`asked: ${message}\nanswered: allow-once`);
    return 'allow-once';
  },
});
console.log(`tools: ${names.join(', ')}`);
for (const { text } of answers) console.log(text);
