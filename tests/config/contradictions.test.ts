import { expect, it } from 'vitest';
import { contradictionsIn } from '../../src/config/contradictions.ts';
import type { ConfigFile } from '../../src/config/schema/schema.ts';

const GATEWAY = { exec: { host: 'gateway' } } as const;

it.each<[string, ConfigFile, readonly string[]]>([
  ['commands leave the sandbox for all', { tools: GATEWAY, sandbox: { mode: 'all' } }, ['tools.exec.host']],
  [
    'an agent leaves the sandbox for all',
    { sandbox: { mode: 'all' }, agents: { list: [{ id: 'a', tools: GATEWAY }] } },
    ['agents.list[0].tools.exec.host'],
  ],
  [
    'an agent has no sandbox of its own',
    { sandbox: { mode: 'all' }, agents: { list: [{ id: 'free', sandbox: { mode: 'off' }, tools: GATEWAY }] } },
    [],
  ],
  [
    'an agent leaves its own sandbox',
    { agents: { list: [{ id: 'boxed', sandbox: { mode: 'all' }, tools: GATEWAY }] } },
    ['agents.list[0].tools.exec.host'],
  ],
  [
    'an agent with a sandbox of its own has the host for all',
    { tools: GATEWAY, agents: { list: [{ id: 'boxed', sandbox: { mode: 'all' } }] } },
    ['tools.exec.host'],
  ],
  [
    'values that judge nothing',
    { tools: { exec: { security: 'full' } }, agents: { list: [{ id: 'a', tools: { exec: { ask: 'off' } } }] } },
    ['tools.exec.security', 'agents.list[0].tools.exec.ask'],
  ],
  [
    'rules that deny nothing',
    { tools: { exec: { denyRules: [{ pattern: '/usr/bin/rm' }] } } },
    ['tools.exec.denyRules'],
  ],
  [
    'values that judge elevated commands',
    { sandbox: { mode: 'all' }, tools: { exec: { security: 'full' }, elevated: { enabled: true } } },
    [],
  ],
])('finds the setting without effect: %s', (_, config, paths) => {
  expect(contradictionsIn(config, false).map(({ at }) => at)).toEqual(paths);
});

it.each<[string, ConfigFile, boolean]>([
  ['a node, whose gateway sends commands', {}, true],
  ['a gateway that listens for nodes', { nodes: { listen: '127.0.0.1:0' } }, false],
  ['a gateway on NATS', { gateway: { cluster: { nats: { servers: [], creds: '' } } } }, false],
])('finds that values have an effect with host sandbox on %s', (_, more, isNode) => {
  expect(contradictionsIn({ ...more, tools: { exec: { security: 'full', ask: 'off' } } }, isNode)).toEqual([]);
});
