import { describe, expect, it } from 'vitest';
import { chooseNode, COMMANDS, FILES, type NodeCandidate, type NodeLayers } from '../../src/policy/node-choice.ts';
import type { NoLinks } from '../../src/wire/chosen-node.ts';
import { fc, runs } from '../support/property.ts';

const ID = {
  mac: 'aaaaaabbbbbbccccccddddddeeeeeeff',
  linux: 'aaaaaaccccccccccccddddddeeeeeeff',
  ghost: 'zzzzzzbbbbbbccccccddddddeeeeeeff',
};

function node(name: string, id: string, more: Partial<NodeCandidate> = {}): NodeCandidate {
  return { id, name, state: 'paired', connected: true, offer: { exec: 'judged', files: 'none' }, ...more };
}

const mac = node('mac-1', ID.mac);
const linux = node('Linux', ID.linux);
const off = { connected: false, lastSeenAt: Date.UTC(2026, 0, 2, 14, 2) };

function chosen(layers: NodeLayers, nodes: readonly NodeCandidate[], allowed?: readonly string[]): string {
  const choice = chooseNode(layers, nodes, allowed);
  return 'fault' in choice ? choice.fault.code : `${choice.node.name} (${choice.from})`;
}

describe('a name', () => {
  it.each<[string, string, string]>([
    ['a whole id', ID.mac, 'mac-1 (call)'],
    ['a whole id in capitals', ID.mac.toUpperCase(), 'mac-1 (call)'],
    ['a whole name', 'mac-1', 'mac-1 (call)'],
    ['a name in another case', 'LINUX', 'Linux (call)'],
    ['a unique start of an id of seven letters', 'aaaaaab', 'mac-1 (call)'],
    ['a start of both ids', 'aaaaaa', 'NODE_AMBIGUOUS'],
    ['a start of five letters', 'aaaaa', 'NODE_UNKNOWN'],
    ['the start of a name', 'mac', 'NODE_UNKNOWN'],
    ['nothing known', 'other', 'NODE_UNKNOWN'],
    ['an empty text', '', 'NODE_UNKNOWN'],
  ])('that is %s', (_, call, expected) => {
    expect(chosen({ call }, [mac, linux])).toBe(expected);
  });

  it.each<[string, NodeLayers, readonly NodeCandidate[], readonly string[] | undefined, string]>([
    [
      'a prefix that another has as its name',
      { global: 'aaaaaab' },
      [node('aaaaaab', ID.ghost), mac],
      undefined,
      'NODE_AMBIGUOUS',
    ],
    [
      'the same, and the meant one is off',
      { global: 'aaaaaab' },
      [node('aaaaaab', ID.ghost), { ...mac, ...off }],
      undefined,
      'NODE_AMBIGUOUS',
    ],
    [
      'a prefix of a removed node and of another',
      { global: 'aaaaaa' },
      [mac, { ...linux, state: 'revoked' }],
      undefined,
      'NODE_AMBIGUOUS',
    ],
    [
      'a whole id that another has as its name',
      { global: ID.mac },
      [node(ID.mac, ID.ghost), mac],
      undefined,
      'mac-1 (global)',
    ],
    ['the same after its removal', { global: ID.mac }, [node(ID.mac, ID.ghost)], [ID.mac], 'NODE_UNKNOWN'],
    [
      'an allowed id that another has as its name',
      {},
      [{ ...mac, ...off }, node(ID.mac, ID.ghost)],
      [ID.mac],
      'NODE_OFFLINE',
    ],
    [
      'the other id, where only the first is allowed',
      { call: ID.ghost },
      [mac, node(ID.mac, ID.ghost)],
      [ID.mac],
      'NODE_NOT_ALLOWED',
    ],
    [
      'an allowed prefix that another has as its name',
      {},
      [mac, node('aaaaaab', ID.ghost)],
      ['aaaaaab'],
      'NODE_NOT_ALLOWED',
    ],
  ])('never passes for the id of another node: %s', (_, layers, nodes, allowed, expected) => {
    expect(chosen(layers, nodes, allowed)).toBe(expected);
  });
});

it('comes from the call, then the conversation, the agent and the global setting', () => {
  const layers = { call: 'a', conversation: 'b', agent: 'c', global: 'd' };
  const nodes = ['a', 'b', 'c', 'd'].map((name, i) => node(name, `${i}`.repeat(32)));
  const names = ['call', 'conversation', 'agent', 'global'] as const;
  const found = names.map((_, i) => {
    const left = Object.fromEntries(names.slice(i).map((name) => [name, layers[name]]));
    return chosen(left, nodes);
  });
  expect(found).toEqual(['a (call)', 'b (conversation)', 'c (agent)', 'd (global)']);
});

describe('without a name', () => {
  it.each<[string, readonly NodeCandidate[], string]>([
    ['no node', [], 'NODE_NONE_PAIRED'],
    ['only a pending node', [node('a', ID.mac, { state: 'pending' })], 'NODE_NONE_PAIRED'],
    ['one connected node', [mac], 'mac-1 (only)'],
    ['one connected node and one that is off', [mac, { ...linux, ...off }], 'mac-1 (only)'],
    ['one node that runs commands', [mac, { ...linux, offer: { exec: 'off', files: 'none' } }], 'mac-1 (only)'],
    ['two connected nodes', [mac, linux], 'NODE_AMBIGUOUS'],
    ['one node that is off', [{ ...mac, ...off }], 'NODE_OFFLINE'],
    [
      'two nodes that are off',
      [
        { ...mac, ...off },
        { ...linux, ...off },
      ],
      'NODE_OFFLINE',
    ],
    ['one node that runs no commands', [{ ...mac, offer: { exec: 'off', files: 'none' } }], 'NODE_CANNOT'],
    [
      'two nodes that run no commands',
      [mac, linux].map((one) => ({ ...one, offer: { exec: 'off', files: 'none' } as const })),
      'NODE_CANNOT',
    ],
  ])('and %s', (_, nodes, expected) => {
    expect(chosen({}, nodes)).toBe(expected);
  });
});

describe('a named node', () => {
  it.each<[string, readonly NodeCandidate[], string]>([
    ['is off', [{ ...mac, ...off }, linux], 'NODE_OFFLINE'],
    ['runs no commands', [{ ...mac, offer: { exec: 'off', files: 'none' } }], 'NODE_CANNOT'],
    ['was removed', [{ ...mac, state: 'revoked' }, linux], 'NODE_REVOKED'],
    ['waits for approval', [{ ...mac, state: 'pending' }, linux], 'NODE_UNKNOWN'],
    ['was removed, as all others', [{ ...mac, state: 'revoked' }], 'NODE_REVOKED'],
    ['does not exist, as no other', [], 'NODE_NONE_PAIRED'],
  ])('that %s', (_, nodes, expected) => {
    expect(chosen({ call: 'mac-1' }, nodes)).toBe(expected);
  });

  it.each<[string, Partial<NodeCandidate>]>([
    ['off', off],
    ['revoked', { state: 'revoked' }],
    ['pending', { state: 'pending' }],
  ])('is not made ambiguous by another of its name that is %s', (_, more) => {
    expect(chosen({ call: 'mac-1' }, [node('mac-1', ID.ghost, more), mac])).toBe('mac-1 (call)');
  });
});

describe('the list of allowed nodes', () => {
  it.each<[string, NodeLayers, readonly string[], string]>([
    ['allows a node by name', { call: 'mac-1' }, ['MAC-1'], 'mac-1 (call)'],
    ['allows a node by prefix', { call: 'mac-1' }, ['aaaaaab'], 'mac-1 (call)'],
    ['refuses another node, also of the operator', { global: 'Linux' }, ['mac-1'], 'NODE_NOT_ALLOWED'],
    ['decides where nothing is named', {}, ['mac-1'], 'mac-1 (only)'],
    ['may allow none', {}, [], 'NODE_NOT_ALLOWED'],
  ])('%s', (_, layers, allowed, expected) => {
    expect(chosen(layers, [mac, linux], allowed)).toBe(expected);
  });
});

it('lists the candidates, and when a node was last seen', () => {
  const several = chooseNode({}, [mac, linux]);
  expect(several).toMatchObject({
    fault: {
      hint: 'set node or tools.exec.node to one of mac-1 (aaaaaabb), Linux (aaaaaacc)',
      details: { candidates: [{ id: ID.mac, name: 'mac-1', connected: true }, { id: ID.linux }] },
    },
  });
  expect(chooseNode({ call: 'mac-1' }, [{ ...mac, ...off }])).toMatchObject({
    fault: { message: 'node mac-1 is not connected, last seen 2026-01-02T14:02:00.000Z; nothing was sent' },
  });
});

it.each<[string, NodeLayers, readonly string[]]>([
  ['an unknown name', { call: 'other' }, ['mac-1']],
  ['a name that is not allowed', { call: 'Linux' }, ['mac-1']],
  ['a name of a machine that waits', { call: 'waits' }, ['mac-1']],
  ['no name, and none is allowed', {}, ['other']],
])('tells a caller only about allowed nodes: %s', (_, layers, allowed) => {
  const waiting = node('waits', ID.ghost, { state: 'pending' });
  const choice = chooseNode(layers, [mac, linux, waiting], allowed);
  const shown = allowed.includes('mac-1') ? [{ name: 'mac-1' }] : [];
  expect(choice).toMatchObject({ fault: { details: { candidates: shown } } });
  const hint = 'fault' in choice ? choice.fault.hint : undefined;
  expect(hint).not.toMatch(/Linux|approve|zzzzzz/u);
});

it('never chooses a node that is not paired, connected, allowed and able', () => {
  const id = fc.constantFrom(...Object.values(ID), 'aaaaaabbbbbbccccccddddddeeeeeegg');
  const candidate = fc.record({
    id,
    name: fc.constantFrom('mac-1', 'Mac-1', 'linux', 'aaaaaab'),
    state: fc.constantFrom('pending', 'paired', 'revoked'),
    connected: fc.boolean(),
    offer: fc.record({
      files: fc.constantFrom('none' as const, 'rw' as const),
      exec: fc.constantFrom('off', 'judged'),
    }),
  });
  const text = fc.option(fc.constantFrom('mac-1', 'linux', 'aaaaaa', ID.mac, 'x'), { nil: undefined });
  fc.assert(
    fc.property(
      fc.record({ call: text, global: text }),
      fc.uniqueArray(candidate, { selector: (one) => one.id }),
      fc.option(fc.array(fc.constantFrom('mac-1', 'linux')), { nil: undefined }),
      (layers, nodes, allowed) => {
        const choice = chooseNode(layers, nodes as readonly NodeCandidate[], allowed);
        if ('fault' in choice) return;
        const { state, connected, offer } = choice.node;
        expect({ state, connected, exec: offer.exec }).toEqual({ state: 'paired', connected: true, exec: 'judged' });
        if (allowed !== undefined) expect(allowed).toContain(choice.node.name.toLowerCase());
      },
    ),
    { numRuns: runs(300) },
  );
});

it.each<[NoLinks | undefined, NodeLayers, string]>([
  [undefined, {}, 'no node is connected; nothing was sent'],
  ['no-nats', {}, 'no node is connected, because this gateway is not connected to NATS; nothing was sent'],
  ['no-gateway', {}, 'no node is connected, because pincer gateway is not running; nothing was sent'],
  [undefined, { call: 'mac-1' }, 'node mac-1 is not connected, last seen 2026-01-02T14:02:00.000Z; nothing was sent'],
  [
    'no-gateway',
    { call: 'mac-1' },
    'node mac-1 is not connected, last seen 2026-01-02T14:02:00.000Z, because pincer gateway is not running; nothing was sent',
  ],
])('says why no node is connected (%s, %j)', (noLinks, layers, message) => {
  const nodes = [mac, linux].map((one) => ({ ...one, ...off }));
  const choice = chooseNode(layers, nodes, undefined, COMMANDS, noLinks);
  expect(choice).toMatchObject({ fault: { code: 'NODE_OFFLINE', message } });
});

it('a node that is not confirmed offers no files until its operator confirms the digits', () => {
  const waiting = node('mac-1', ID.mac, { offer: { exec: 'judged', files: 'none', unconfirmed: true } });
  expect(chooseNode({ call: 'mac-1' }, [waiting], undefined, FILES)).toMatchObject({
    fault: { code: 'NODE_CANNOT', hint: expect.stringContaining('pincer node confirm') },
  });
});
