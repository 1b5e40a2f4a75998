import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openApprovalStore } from '../../../src/hosts/approvals/store.ts';
import {
  INVITATION_MS,
  invitationsIn,
  MOST_REQUESTS,
  pairingRequests,
  REQUEST_MS,
} from '../../../src/hosts/nodes/pairing.ts';
import { newInvitation } from '../../../src/hosts/identity/invitation.ts';
import { runs, timeoutFor } from '../../support/budget.ts';
import { makeFolder } from '../../support/folder.ts';
import { startApprovals } from '../approvals/program.ts';
import { clock, database } from './sample.ts';

const INVITED = newInvitation('wss://127.0.0.1:1', 'a'.repeat(32));

describe('an invitation', () => {
  it('is used once', async () => {
    const invitations = invitationsIn(await database(), clock().now);
    invitations.add(INVITED, 'ann');
    expect(invitations.get(INVITED.id)).toEqual({ secret: Buffer.from(INVITED.secret, 'base64url'), by: 'ann' });
    expect([invitations.consume(INVITED.id), invitations.consume(INVITED.id)]).toEqual([true, false]);
    expect(invitations.get(INVITED.id)).toBeUndefined();
  });

  it('expires after ten minutes, and is removed with the next one', async () => {
    const { now, pass } = clock();
    const file = await database();
    const invitations = invitationsIn(file, now);
    expect(invitations.add(INVITED, 'ann')).toBe(now() + INVITATION_MS);
    pass(INVITATION_MS);
    expect([invitations.get(INVITED.id), invitations.consume(INVITED.id)]).toEqual([undefined, false]);
    invitations.add(newInvitation('wss://127.0.0.1:1', 'a'.repeat(32)), 'ann');
    expect(file.prepare('SELECT COUNT(*) AS number FROM node_pairing').get()).toEqual({ number: 1 });
  });

  it('is used by exactly one of two processes in the same instant', { timeout: timeoutFor(60_000) }, async () => {
    const file = join(makeFolder(), 'gateway.db');
    const store = await openApprovalStore({ file });
    onTestFinished(() => store.close());
    const invitations = invitationsIn(store.database, Date.now);
    const workers = [startApprovals(['invited', file, '']), startApprovals(['invited', file, ''])];
    onTestFinished(() => {
      for (const { child } of workers) child.kill('SIGKILL');
    });
    expect(await Promise.all(workers.map((one) => one.next()))).toEqual(['ready', 'ready']);
    for (let round = 0; round < runs(40, 1000); round++) {
      const invitation = newInvitation('wss://127.0.0.1:1', 'a'.repeat(32));
      invitations.add(invitation, 'ann');
      const at = Date.now() + 3;
      for (const { child } of workers) child.stdin.write(`${invitation.id} ${at}\n`);
      const used = await Promise.all(workers.map((one) => one.next()));
      expect(used.filter((won) => won === true)).toHaveLength(1);
    }
  });
});

describe('a request', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const request = (id: string) => {
    const ends: string[] = [];
    return { id, ends, end: (reason: string) => void ends.push(reason) };
  };

  it('expires after five minutes', () => {
    const requests = pairingRequests(() => 7);
    const one = request('a');
    requests.add(one);
    expect(requests.all()).toEqual([{ ...one, since: 7, expiresAt: 7 + REQUEST_MS }]);
    vi.advanceTimersByTime(REQUEST_MS - 1);
    expect(one.ends).toEqual([]);
    vi.advanceTimersByTime(1);
    expect([one.ends, requests.all()]).toEqual([['expired'], []]);
  });

  it('replaces an earlier one of the same key, and eight wait at most', () => {
    const requests = pairingRequests(() => 7);
    const first = request('0');
    requests.add(first);
    for (let i = 1; i < MOST_REQUESTS; i++) requests.add(request(String(i)));
    expect([requests.hasRoom('0'), requests.hasRoom('new')]).toEqual([true, false]);
    const again = request('0');
    requests.add(again);
    expect([first.ends, again.ends, requests.all().length]).toEqual([['replaced'], [], MOST_REQUESTS]);
    expect([requests.take('0', first), requests.take('0', again)]).toEqual([undefined, again]);
    expect(requests.hasRoom('new')).toBe(true);
    requests.close();
    expect(requests.all()).toEqual([]);
  });
});
