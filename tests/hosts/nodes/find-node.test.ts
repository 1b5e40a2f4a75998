import { describe, expect, it } from 'vitest';
import { findApproved, findNode, findPending } from '../../../src/hosts/nodes/find-node.ts';
import { exitOf } from '../../../src/hosts/nodes/remote/remote-exit.ts';
import type { NodeInfo } from '../../../src/wire/nodes/node.ts';
import type { SessionInfo } from '../../../src/wire/session.ts';
import { faultOf } from '../../support/fault.ts';

const node = (id: string, name: string, code?: string): NodeInfo =>
  ({ id, name, state: 'pending', connected: true, ...(code === undefined ? {} : { code }) }) as NodeInfo;

describe('the machine that an operator approves', () => {
  it('is found by its digits, and never by a name that looks like digits', () => {
    const real = node('a'.repeat(32), 'mac', '12345678');
    const named = node('b'.repeat(32), '12345678', '87654321');
    for (const find of [findApproved, findPending]) {
      expect(find('1234 5678', [real, named])).toBe(real);
      expect(faultOf(() => find('12345678', [named])).code).toBe('NODE_UNKNOWN');
    }
  });

  it('is not a paired one: a rejection says that none waits with the name', () => {
    expect(faultOf(() => findPending('mac', []))).toMatchObject({
      code: 'NODE_UNKNOWN',
      message: 'no machine that waits for approval is called "mac"',
      hint: expect.stringContaining('pincer nodes remove'),
    });
  });

  it('is found by its whole id, and never by a name or by the start of an id', () => {
    const real = node('abcdef'.padEnd(32, 'x'), 'mac', '12345678');
    expect(findApproved(real.id.toUpperCase(), [real])).toBe(real);
    for (const text of ['mac', 'abcdef'])
      expect(faultOf(() => findApproved(text, [real]))).toMatchObject({
        code: 'NODE_CODE_REQUIRED',
        hint: expect.stringContaining('pincer nodes approve 12345678'),
      });
    expect(faultOf(() => findApproved('other', [real])).code).toBe('NODE_UNKNOWN');
    expect(faultOf(() => findApproved('1234', [real]))).toMatchObject({
      code: 'NODE_UNKNOWN',
      message: '"1234" is not the eight digits of a machine that waits',
    });
  });

  it('is ambiguous where the name of one is the start of the id of another', () => {
    const real = node('abcdef'.padEnd(32, 'x'), 'mac');
    const named = node('b'.repeat(32), 'abcdef');
    expect(faultOf(() => findNode('abcdef', [real, named])).code).toBe('NODE_AMBIGUOUS');
  });
});

it.each([
  [{ exitCode: 1.5 }, { kind: 'lost' }],
  [{ exitCode: 256 }, { kind: 'lost' }],
  [{ exitCode: 3 }, { kind: 'code', code: 3 }],
  [{ exitSignal: '\u001b[31mSIGHUP' }, { kind: 'signal', signal: 'SIGKILL' }],
  [{ exitSignal: 'SIGTERM' }, { kind: 'signal', signal: 'SIGTERM' }],
] as const)('reads %j of a node as %j', (session, exit) => {
  expect(exitOf(session as unknown as SessionInfo)).toMatchObject(exit);
});
