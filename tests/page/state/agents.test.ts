import { afterEach, describe, expect, it } from 'vitest';
import { agentIds, agents, configuredAgents } from '../../../src/page/state/agents.ts';
import { approvals } from '../../../src/page/state/approvals.ts';
import { server } from '../../../src/page/state/link.ts';
import { approvalExample } from '../approval-example.ts';

afterEach(() => {
  server.value = undefined;
  configuredAgents.value = [];
  approvals.value = new Map();
});

describe('the agents that the page can speak about', () => {
  it('are the served one, those of the configuration in its order, and those that were seen, each once', () => {
    server.value = { version: '1', machine: 'm', workspace: '/work', agent: 'helper' };
    configuredAgents.value = ['writer', 'builder', 'helper'];
    const seen = ['zoe', 'builder', 'ann'].map((agent, i) => {
      const approval = approvalExample(`${i}`.repeat(8));
      return { ...approval, binding: { ...approval.binding, agent } };
    });
    approvals.value = new Map(seen.map((approval) => [approval.id, approval]));
    expect(agents.value).toEqual(['helper', 'writer', 'builder', 'ann', 'zoe']);
  });

  it('are main before the server has said anything', () => {
    expect(agents.value).toEqual(['main']);
  });
});

it.each<[unknown, readonly string[]]>([
  [
    [{ id: 'a' }, { id: 'b', tools: {} }],
    ['a', 'b'],
  ],
  [[{}, null, 'text', { id: 5 }, { id: 'c' }], ['c']],
  [undefined, []],
  [{ id: 'a' }, []],
])('the ids in %j are %j', (list, ids) => {
  expect(agentIds(list)).toEqual(ids);
});
