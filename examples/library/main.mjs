/** Runs the agent on a scripted model in a new folder: `node examples/library/main.mjs`. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAgent } from './agent.mjs';
import { scripted } from './scripted.mjs';

const workspace = mkdtempSync(join(tmpdir(), 'pincer-example-'));
const text = await runAgent({
  model: scripted(),
  workspace,
  host: 'gateway',
  ask: async ({ command, reason }) => {
    console.log(`asked: ${command} (${reason}); answered: allow-once`);
    return 'allow-once';
  },
});
console.log(text);
console.log(`the files are in ${workspace}`);
