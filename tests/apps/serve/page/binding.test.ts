import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  bindingAnswer,
  execBindings,
  type BindingAnswer,
  type ExecBindings,
} from '../../../../src/wire/nodes/binding.ts';
import { check } from '../../../../src/wire/schema.ts';
import { openPage, type PageClient, type PageServer, pageServer } from './page-client.ts';

let server: PageServer;
let operator: PageClient;
beforeAll(async () => {
  const agents = { list: [{ id: 'builder', tools: { exec: { node: 'web-1' } } }] };
  server = await pageServer({ tools: { exec: { host: 'node' } }, agents });
  operator = await openPage(server, await server.logIn('operator'));
});
afterAll(async () => {
  operator.close();
  await server.close();
});

async function bindings(): Promise<ExecBindings> {
  return check(execBindings, await operator.call('binding.get'), 'bindings');
}

async function bind(params: object): Promise<BindingAnswer> {
  return check(bindingAnswer, await operator.call('binding.set', params), 'answer');
}

it('shows the setting of all agents and of each, the address that it writes, and what happens now', async () => {
  const { default: all, agents } = await bindings();
  expect(all).toMatchObject({
    path: 'tools.exec.node',
    ocPath: 'oc://pincer.jsonc/tools/exec/node',
    choice: { host: 'node', ok: false, fault: { code: 'NODE_NONE_PAIRED' } },
  });
  expect(all).not.toHaveProperty('node');
  expect(all.choice.sentence).toBe('commands fail, none goes elsewhere: there is no paired node to run on');
  expect(agents).toMatchObject([
    {
      agent: 'builder',
      path: 'agents.list[0].tools.exec.node',
      ocPath: 'oc://pincer.jsonc/agents.list.0.tools/exec/node',
      node: 'web-1',
      source: { layer: 'user', ocPath: 'oc://pincer.jsonc/agents.list.0.tools/exec/node' },
    },
    { agent: 'main', ocPath: 'oc://pincer.jsonc/agents.list.1.tools/exec/node' },
  ]);
});

it('writes the setting of config set, also for an agent without an entry, and removes it', async () => {
  const { revision } = await bindings();
  const all = await bind({ node: 'web-2', revision });
  expect(all).toMatchObject({
    ok: true,
    path: 'tools.exec.node',
    changed: true,
    diff: expect.stringContaining('web-2'),
    warnings: [expect.stringContaining('no paired node is called "web-2"')],
    current: { default: { node: 'web-2' } },
  });
  const own = await bind({ agent: 'main', node: 'web-3', revision: all.current.revision });
  expect(own).toMatchObject({ ok: true, path: 'agents.list[1].tools.exec.node' });
  const config = await operator.call<{ value: unknown }>('config.get', { path: 'agents.list' });
  expect(config.value).toMatchObject([{ id: 'builder' }, { id: 'main', tools: { exec: { node: 'web-3' } } }]);
  const removed = await bind({ agent: 'builder', revision: own.current.revision });
  expect(removed).toMatchObject({
    ok: true,
    changed: true,
    current: { agents: [{ agent: 'builder' }, { node: 'web-3' }] },
  });
  expect(removed.current.agents[0]).not.toHaveProperty('node');
});

it('returns the diff of a change and writes nothing', async () => {
  const before = await bindings();
  const file = readFileSync(before.default.file, 'utf8');
  const answer = await bind({ agent: 'builder', node: 'web-9', revision: before.revision, dryRun: true });
  expect(answer).toMatchObject({
    ok: true,
    changed: true,
    diff: expect.stringContaining('web-9'),
    warnings: [expect.stringContaining('no paired node is called "web-9"')],
    current: before,
  });
  expect(readFileSync(before.default.file, 'utf8')).toBe(file);
});

it('refuses a stale revision with the current state, and writes nothing', async () => {
  const { revision, default: row } = await bindings();
  writeFileSync(row.file, `${readFileSync(row.file, 'utf8')}\n`);
  const before = readFileSync(row.file, 'utf8');
  const answer = await bind({ node: 'other', revision });
  expect(answer).toEqual({ ok: false, reason: 'conflict', message: expect.any(String), current: await bindings() });
  expect(readFileSync(row.file, 'utf8')).toBe(before);
});
