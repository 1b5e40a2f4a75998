import { expect, it } from 'vitest';
import { bindingProblem, lostBindings, nodeBindings } from '../../../../src/apps/node-bindings.ts';
import type { NodeInfo } from '../../../../src/wire/nodes/node.ts';

const A = 'abcdef'.padEnd(32, 'x');
const node = (id: string, name: string) => ({ id, name, state: 'paired', connected: false }) as NodeInfo;
const paired = [node(A, 'mac'), node('b'.repeat(32), 'bbbbbb')];

it.each([
  ['mac', undefined],
  ['MAC', undefined],
  [A, undefined],
  ['abcdef', `"abcdef" is the start of an id, which another machine can have, too; use the whole id ${A}`],
  ['other', 'no paired node is called "other"; pincer nodes list shows them'],
  ['old', 'node "old" was removed; pincer nodes list shows the paired ones'],
  ['new', 'no paired node is called "new"; pincer nodes list shows them'],
])('warns about %s in a setting: %j', (name, problem) => {
  const others = [
    { ...node('c'.repeat(32), 'old'), state: 'revoked' },
    { ...node('d'.repeat(32), 'new'), state: 'pending' },
  ];
  expect(bindingProblem(name, [...paired, ...(others as NodeInfo[])])).toBe(problem);
});

it('finds every setting that names a node, and those that lose theirs', () => {
  const bindings = nodeBindings({
    tools: { exec: { node: 'mac', nodes: ['bbbbbb', A] }, fs: { nodes: ['mac'] } },
    agents: { list: [{ id: 'x' }, { id: 'y', tools: { exec: { node: 'bbbbbb' }, fs: { node: 'mac' } } }] },
  });
  expect(bindings.map(({ path, name }) => `${path}=${name === A ? 'A' : name}`)).toEqual([
    'tools.exec.node=mac',
    'tools.exec.nodes[0]=bbbbbb',
    'tools.exec.nodes[1]=A',
    'tools.fs.nodes[0]=mac',
    'agents.list[1].tools.exec.node=bbbbbb',
    'agents.list[1].tools.fs.node=mac',
  ]);
  const renamed = [node(A, 'other'), paired[1]!];
  expect(lostBindings(bindings, A, paired, renamed).map((text) => text.split(': ')[0])).toEqual([
    'tools.exec.node',
    'tools.fs.nodes[0]',
    'agents.list[1].tools.fs.node',
  ]);
});
