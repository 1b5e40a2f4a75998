import { describe, expect, it } from 'vitest';
import { digitsText, nodeState, offerText, systemText } from '../../../../src/page/screens/nodes/wording.ts';
import type { NodeInfo } from '../../../../src/wire/nodes/node.ts';

const NOW = 1_000_000;

function nodeExample(changes: Partial<NodeInfo> = {}): NodeInfo {
  return {
    id: 'a'.repeat(32),
    name: 'web-1',
    platform: 'linux',
    version: '1.0.0',
    state: 'paired',
    connected: true,
    offer: { exec: 'judged', files: 'rw', pty: true },
    ...changes,
  };
}

describe('the state of a node', () => {
  it.each<[Partial<NodeInfo>, string, string]>([
    [{}, 'Online', 'ok'],
    [{ offer: { exec: 'judged', files: 'none', pty: true, unconfirmed: true } }, 'Online, not confirmed there', 'ask'],
    [{ connected: false }, 'Offline', 'muted'],
    [{ connected: false, lastSeenAt: NOW - 125_000 }, 'Offline for 2 min', 'muted'],
    [{ clonedAt: 5 }, 'Refused: two machines used its key', 'no'],
    [{ state: 'revoked', connected: false, clonedAt: 5 }, 'Removed', 'muted'],
    [{ state: 'pending' }, 'Waits for pairing', 'ask'],
  ])('%j is "%s"', (changes, text, tone) => {
    expect(nodeState(nodeExample(changes), NOW)).toMatchObject({ text, tone });
  });
});

describe('what a node offers', () => {
  it.each<[NodeInfo['offer'], string]>([
    [{ exec: 'judged', files: 'rw', pty: true }, 'commands, terminals, files'],
    [{ exec: 'judged', files: 'ro', pty: false }, 'commands, files (read only)'],
    [{ exec: 'off', files: 'none', pty: true }, 'nothing'],
    [{ exec: 'off', files: 'rw', pty: true }, 'files'],
  ])('%j is "%s"', (offer, text) => {
    expect(offerText(nodeExample({ offer }))).toBe(text);
  });
});

it('names the system and groups the digits as both screens show them', () => {
  expect([systemText(nodeExample()), systemText(nodeExample({ platform: 'darwin' }))]).toEqual(['Linux', 'macOS']);
  expect(digitsText('48291357')).toBe('4829 1357');
});
