/** Checks the example with a scripted model and temporary folders: `node examples/openai-agents/check.mjs`. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openGateway } from 'pincer/tools';
import { runAgent } from './agent.mjs';
import { scripted } from './scripted.mjs';

const functionCall = (name, args) => ({
  type: 'function_call',
  name,
  arguments: JSON.stringify(args),
  status: 'completed',
});
const shellCall = (command) => ({ type: 'shell_call', status: 'completed', action: { commands: [command] } });
const patchCall = (operation) => ({ type: 'apply_patch_call', status: 'completed', operation });

const folder = mkdtempSync(join(tmpdir(), 'pincer-example-'));
const stateDir = join(folder, 'state');

async function run(name, calls, { answer = true, shapes } = {}) {
  const workspace = join(folder, name);
  mkdirSync(workspace);
  const asked = [];
  const text = await runAgent({
    model: scripted(calls),
    prompt: 'go',
    workspace,
    stateDir,
    host: 'gateway',
    shapes,
    ask: async (call) => {
      asked.push(call.name);
      return answer;
    },
  });
  return {
    text,
    asked,
    has: (file) => existsSync(join(workspace, file)),
    read: (file) => readFileSync(join(workspace, file), 'utf8'),
  };
}

const CHECKS = {
  async 'function tools write and read'() {
    const { text, asked } = await run('functions', [
      functionCall('write', { file_path: 'hello.txt', content: 'Hello!\n' }),
      functionCall('read', { path: 'hello.txt' }),
    ]);
    assert.deepEqual([text.trim(), asked], ['told: Hello!', []]);
  },
  async 'a failure is told to the model'() {
    const { text } = await run('failure', [functionCall('read', { path: 'nope.txt' })]);
    assert.match(text, /^told: file not found: nope\.txt/u);
  },
  async 'a command runs after a yes'() {
    const { asked, has } = await run('yes', [functionCall('exec', { command: 'touch made' })]);
    assert.deepEqual([asked, has('made')], [['exec'], true]);
  },
  async 'a command does not run after a no'() {
    const { asked, has } = await run('no', [functionCall('exec', { command: 'touch made' })], { answer: false });
    assert.deepEqual([asked, has('made')], [['exec'], false]);
  },
  async 'the hosted shell runs after a yes'() {
    const { text, asked, has } = await run('shell', [shellCall('touch made')], { shapes: 'hosted' });
    assert.deepEqual([asked, has('made')], [['shell'], true]);
    assert.match(text, /"exitCode":0/u);
  },
  async 'the hosted shell does not run after a no'() {
    const { has } = await run('shell-no', [shellCall('touch made')], { shapes: 'hosted', answer: false });
    assert.equal(has('made'), false);
  },
  async 'the hosted apply_patch creates, changes and deletes'() {
    const { has, read, text } = await run(
      'patch',
      [
        patchCall({ type: 'create_file', path: 'a.txt', diff: '+one\n+two\n' }),
        patchCall({ type: 'update_file', path: 'a.txt', diff: '@@\n one\n-two\n+three\n' }),
        patchCall({ type: 'create_file', path: 'b.txt', diff: '+x\n' }),
        patchCall({ type: 'delete_file', path: 'b.txt' }),
      ],
      { shapes: 'hosted' },
    );
    assert.deepEqual([read('a.txt'), has('b.txt')], ['one\nthree\n', false]);
    assert.match(text, /D b\.txt/u);
  },
};

try {
  for (const [name, check] of Object.entries(CHECKS)) {
    await check();
    console.log(`ok: ${name}`);
  }
} finally {
  const gateway = await openGateway({ stateDir });
  await gateway.call('daemon.stop', { force: true });
  gateway.close();
  rmSync(folder, { recursive: true, force: true });
}
