import { describe, expect, it, vi } from 'vitest';
import type { ProvenNode } from '../../../src/hosts/identity/handshake.ts';
import { newIdentity } from '../../../src/hosts/identity/keys.ts';
import { parseInvitation } from '../../../src/hosts/identity/invitation.ts';
import { MOST_NEW_REQUESTS, MOST_REQUESTS, REQUEST_MS } from '../../../src/hosts/nodes/pairing.ts';
import { faultOf } from '../../support/fault.ts';
import { connection, database, link, OFFER, paired, peer, sampleNodes, type SampleNodes } from './sample.ts';

/** A machine that knows the secret of an invitation. */
function invited({ nodes }: SampleNodes, changes: Partial<ProvenNode> = {}): ProvenNode {
  const { id, secret } = parseInvitation(nodes.invite('ann').invitation);
  return peer({ invitation: id, proves: (known) => Buffer.from(known).toString('base64url') === secret, ...changes });
}

function newKey(): Pick<ProvenNode, 'id' | 'publicKey'> {
  const { id, publicKey } = newIdentity();
  return { id, publicKey };
}

describe('pairing by approval', () => {
  it('waits for the operator, then welcomes the waiting connection', async () => {
    const sample = await sampleNodes();
    const { nodes, audited } = sample;
    const [machine, waiting] = [peer(), connection()];
    expect(nodes.decide(machine, waiting)).toEqual({ answer: 'pending' });
    const { id, remote, code } = machine;
    expect(nodes.pending()).toEqual([
      {
        id,
        name: 'mac',
        platform: 'linux',
        version: '1.2.3',
        state: 'pending',
        connected: false,
        offer: OFFER,
        lastSeenAt: 1_000_000,
        code,
        expiresAt: 1_300_000,
        remote,
      },
    ]);
    expect(nodes.list()).toEqual(nodes.pending());
    expect(nodes.approve('1234 5678', 'ann')).toMatchObject({ id, name: 'mac', state: 'paired', connected: false });
    expect(waiting.heard).toEqual([
      { answer: 'welcome', epoch: expect.any(String), id: expect.any(String), name: 'mac' },
    ]);
    expect([nodes.pending(), audited]).toEqual([[], ['paired mac by ann']]);
    nodes.linked(machine, link());
    expect(nodes.list()).toMatchObject([{ id, connected: true, remote }]);
    expect(nodes.show('mac')).toMatchObject({ id, pairedBy: 'ann', bound: true, connectedAt: 1_000_000 });
  });

  it('takes no name, which another machine may have by now', async () => {
    const { nodes } = await sampleNodes();
    const [real, first] = [peer({ code: '11111111' }), connection()];
    nodes.decide(real, first);
    nodes.ended(real, first);
    nodes.decide(peer({ code: '22222222' }), connection());
    expect(faultOf(() => nodes.approve('mac', 'ann')).code).toBe('NODE_CODE_REQUIRED');
    expect(faultOf(() => nodes.approve('11111111', 'ann')).code).toBe('NODE_UNKNOWN');
    expect(nodes.list().map(({ state }) => state)).toEqual(['pending']);
  });

  it('never approves by itself, also not on loopback', async () => {
    const { nodes } = await sampleNodes();
    const machine = peer({ remote: '127.0.0.1:1' });
    for (let i = 0; i < 3; i++) expect(nodes.decide(machine, connection())).toEqual({ answer: 'pending' });
    expect(nodes.list().map(({ state }) => state)).toEqual(['pending']);
  });

  it('refuses the ninth machine, and not a second connection of one that waits', async () => {
    const { nodes } = await sampleNodes();
    const waiting = Array.from({ length: MOST_REQUESTS }, () => peer());
    for (const machine of waiting) expect(nodes.decide(machine, connection()).answer).toBe('pending');
    expect(nodes.decide(peer(), connection())).toMatchObject({ answer: 'refused', code: 'NODE_PAIRING_FULL' });
    expect(nodes.decide(waiting[0]!, connection()).answer).toBe('pending');
    expect(nodes.pending()).toHaveLength(MOST_REQUESTS);
  });

  it('refuses a machine that tries many digits by connecting again', async () => {
    const { nodes, pass } = await sampleNodes();
    const machine = peer();
    const ask = (): string => {
      const waiting = connection();
      const { answer } = nodes.decide(machine, waiting);
      nodes.ended(machine, waiting);
      return answer;
    };
    for (let i = 0; i < MOST_NEW_REQUESTS; i++) expect(ask()).toBe('pending');
    expect(ask()).toBe('refused');
    pass(REQUEST_MS);
    expect(ask()).toBe('pending');
  });

  it('forgets a request whose connection has ended, and keeps its successor', async () => {
    const { nodes } = await sampleNodes();
    const machine = peer();
    const [first, second] = [connection(), connection()];
    nodes.decide(machine, first);
    nodes.decide(machine, second);
    nodes.ended(machine, first);
    expect(nodes.pending()).toHaveLength(1);
    nodes.ended(machine, second);
    expect([nodes.pending(), first.heard]).toEqual([[], ['replaced']]);
  });

  it('rejects a request', async () => {
    const { nodes } = await sampleNodes();
    const [machine, waiting] = [peer(), connection()];
    nodes.decide(machine, waiting);
    nodes.reject(machine.id.slice(0, 6), 'ann');
    expect(waiting.heard).toMatchObject([{ answer: 'refused', code: 'NODE_REJECTED' }]);
    expect(faultOf(() => nodes.approve(machine.id, 'ann')).code).toBe('NODE_UNKNOWN');
  });

  it('numbers a second machine of one name, or replaces the first', async () => {
    const sample = await sampleNodes();
    const old = paired(sample);
    expect(paired(sample).info.name).toBe('mac-2');
    const machine = peer();
    sample.nodes.decide(machine, connection());
    expect(sample.nodes.approve(machine.id, 'ann', old.machine.id).name).toBe('mac');
    expect(old.link.closed).toEqual(['replaced by another node']);
    expect(sample.nodes.list().map(({ name, state }) => `${name} ${state}`)).toEqual([
      'mac paired',
      'mac-2 paired',
      'mac revoked',
    ]);
    // The old machine ends the commands of this gateway when it hears that.
    expect(sample.nodes.decide(old.machine, connection())).toMatchObject({ code: 'NODE_REVOKED' });
    expect(sample.audited.slice(-2)).toEqual(['paired mac by ann', 'removed mac by ann']);
  });

  it('keeps the request where the registry cannot be written', async () => {
    const file = await database();
    const { nodes } = await sampleNodes({ database: file });
    const [machine, waiting] = [peer(), connection()];
    nodes.decide(machine, waiting);
    vi.spyOn(file, 'transaction').mockImplementationOnce(() => {
      throw new Error('disk full');
    });
    expect(() => nodes.approve(machine.code, 'ann')).toThrow('disk full');
    expect([nodes.pending().length, waiting.heard]).toEqual([1, []]);
    nodes.approve(machine.code, 'ann');
    expect(waiting.heard).toMatchObject([{ answer: 'welcome' }]);
  });

  it('welcomes the machine that it has paired, also where the audit log cannot be written', async () => {
    const audit = (): never => {
      throw new Error('disk full');
    };
    const { nodes } = await sampleNodes({ audit });
    const waiting = connection();
    nodes.decide(peer(), waiting);
    expect(() => nodes.approve('12345678', 'ann')).toThrow('disk full');
    expect(waiting.heard).toMatchObject([{ answer: 'welcome' }]);
  });
});

describe('pairing by invitation', () => {
  it('welcomes the machine that proves it, once', async () => {
    const sample = await sampleNodes();
    const { nodes } = sample;
    const machine = invited(sample);
    const thief = { ...machine, ...peer(), invitation: machine.invitation! };
    expect(nodes.decide(thief, connection())).toMatchObject({ code: 'NODE_INVITATION' });
    expect(nodes.decide(machine, connection()).answer).toBe('welcome');
    expect(nodes.list()).toMatchObject([{ id: machine.id, state: 'paired' }]);
    const second = peer({ invitation: machine.invitation!, proves: () => true });
    expect(nodes.decide(second, connection())).toMatchObject({ code: 'NODE_INVITATION' });
    expect(nodes.decide(machine, connection()).answer).toBe('welcome'); // the first welcome may have been lost
  });

  it('is used by a machine that is paired already, and only by one that proves it', async () => {
    const sample = await sampleNodes();
    const { machine } = paired(sample);
    const { id, publicKey } = machine;
    const again = invited(sample, { id, publicKey });
    expect(sample.nodes.decide({ ...again, proves: () => false }, connection()).answer).toBe('welcome');
    expect(sample.nodes.decide(again, connection()).answer).toBe('welcome');
    expect(sample.nodes.decide({ ...again, ...newKey() }, connection())).toMatchObject({ code: 'NODE_INVITATION' });
  });

  it('refuses an expired and an unknown one', async () => {
    const sample = await sampleNodes();
    const machine = invited(sample);
    sample.pass(10 * 60_000);
    for (const one of [machine, peer({ invitation: 'unknown-1', proves: () => true })])
      expect(sample.nodes.decide(one, connection())).toMatchObject({ answer: 'refused', code: 'NODE_INVITATION' });
    expect(sample.nodes.list()).toEqual([]);
  });

  it('pairs a removed machine again', async () => {
    const sample = await sampleNodes();
    const { machine } = paired(sample);
    sample.nodes.remove('mac', 'ann');
    expect(
      sample.nodes.decide(invited(sample, { id: machine.id, publicKey: machine.publicKey }), connection()).answer,
    ).toBe('welcome');
  });
});

describe('a paired node', () => {
  it('is welcomed, and its new link replaces the older one', async () => {
    const sample = await sampleNodes();
    const { nodes } = sample;
    const told: string[] = [];
    nodes.onLink((node, own) => told.push(`${node.name} ${node.connected} ${own.epoch}`));
    const first = paired(sample);
    expect(nodes.decide(first.machine, connection()).answer).toBe('welcome');
    const second = link('epoch-02');
    nodes.linked({ ...first.machine, version: '2.0.0' }, second);
    expect([first.link.closed, nodes.link(first.machine.id)]).toEqual([['replaced'], second]);
    expect(told).toEqual(['mac true epoch-00', 'mac true epoch-02']);
    expect(nodes.list()).toMatchObject([{ connected: true, version: '2.0.0' }]);
    await first.link.down;
    expect(nodes.list()).toMatchObject([{ connected: true }]);
    sample.pass(5_000);
    second.close('bye');
    await second.down;
    expect(nodes.list()).toMatchObject([{ connected: false, lastSeenAt: 1_005_000 }]);
  });

  it('is refused without the binding that it was paired with', async () => {
    const sample = await sampleNodes();
    const { machine } = paired(sample);
    expect(sample.nodes.decide({ ...machine, isBound: false }, connection())).toMatchObject({ code: 'NODE_IDENTITY' });
  });

  it('gets no link when its handshake ends after the gateway was closed', async () => {
    const sample = await sampleNodes();
    const { nodes } = sample;
    const { machine } = paired(sample);
    await nodes.close();
    const late = link();
    nodes.linked(machine, late);
    expect([late.closed, nodes.link(machine.id)]).toEqual([['the gateway is stopping'], undefined]);
  });

  it('loses its link when it is removed, and is refused until it is removed from the list', async () => {
    const sample = await sampleNodes();
    const { nodes } = sample;
    const { machine, link: own } = paired(sample);
    expect(nodes.remove('mac', 'ann')).toMatchObject({ state: 'revoked', connected: false });
    expect([own.closed, nodes.link(machine.id)]).toEqual([['revoked'], undefined]);
    expect(nodes.decide(machine, connection())).toMatchObject({ code: 'NODE_REVOKED' });
    const late = link();
    nodes.linked(machine, late); // its handshake ended before the removal
    expect(late.closed).toEqual(['revoked']);
    expect(nodes.list()).toMatchObject([{ state: 'revoked' }]);
    nodes.remove('mac', 'ann');
    expect(nodes.list()).toEqual([]);
    expect(nodes.decide(machine, connection()).answer).toBe('pending');
  });

  it('is refused with NODE_CLONED when processes replace each other five times in a minute', async () => {
    const sample = await sampleNodes();
    const { nodes, notices } = sample;
    const { machine } = paired(sample);
    const answers: string[] = [];
    let last = link();
    for (let i = 0; i < 6; i++) {
      const copy = { ...machine, instance: `instance-${i % 2 === 0 ? 'b' : 'a'}` };
      const decision = nodes.decide(copy, connection());
      answers.push(decision.answer === 'refused' ? decision.code : decision.answer);
      if (decision.answer === 'welcome') nodes.linked(copy, (last = link()));
    }
    expect(answers).toEqual(['welcome', 'welcome', 'welcome', 'welcome', 'NODE_CLONED', 'NODE_CLONED']);
    expect([last.closed, notices.length]).toEqual([['cloned'], 1]);
    await last.down;
    expect(nodes.decide(machine, connection())).toMatchObject({ code: 'NODE_CLONED' });
    expect(nodes.list()).toMatchObject([{ name: 'mac', connected: false, clonedAt: 1_000_000 }]);
    expect(() => nodes.approve(machine.id, 'ann', machine.id)).toThrow('cannot replace another node');
    expect(nodes.approve(machine.id, 'ann')).toMatchObject({ name: 'mac', allowedAgain: true });
    expect(nodes.show('mac').clonedAt).toBeUndefined();
    expect(nodes.decide(machine, connection()).answer).toBe('welcome');
  });

  it('is not taken for a copy, and machines may request pairing, after the clock was set back', async () => {
    const sample = await sampleNodes();
    const { machine } = paired(sample);
    for (let i = 0; i < 12; i++) {
      if (i % 3 === 0) sample.pass(-86_400_000);
      const process = { ...machine, instance: `instance-${i}` };
      expect(sample.nodes.decide(process, connection()).answer).toBe('welcome');
      sample.nodes.linked(process, link());
    }
    const request = (): string => {
      const [stranger, waiting] = [peer(), connection()];
      const { answer } = sample.nodes.decide(stranger, waiting);
      sample.nodes.ended(stranger, waiting);
      return answer;
    };
    for (let i = 0; i < MOST_NEW_REQUESTS; i++) request();
    expect(request()).toBe('refused');
    sample.pass(-86_400_000);
    expect(request()).toBe('pending');
  });

  it('may restart and reconnect as often as it wants', async () => {
    const sample = await sampleNodes();
    const { machine } = paired(sample);
    for (let i = 0; i < 30; i++) {
      if (i % 3 === 0) sample.pass(20_000);
      const process = { ...machine, instance: `instance-${Math.floor(i / 3)}` };
      expect(sample.nodes.decide(process, connection()).answer).toBe('welcome');
      sample.nodes.linked(process, link());
    }
  });
});

describe('the log', () => {
  it('has few lines of machines that are not paired, and those of a paired node apart from them', async () => {
    const lines: string[] = [];
    const sample = await sampleNodes({ log: (text) => lines.push(text) });
    for (let i = 0; i < 40; i++) {
      const [machine, waiting] = [peer(), connection()];
      sample.nodes.decide(machine, waiting);
      sample.nodes.ended(machine, waiting);
    }
    expect(lines).toHaveLength(20);
    const { machine } = paired(sample);
    for (let i = 0; i < 40; i++) sample.nodes.linked(machine, link());
    expect(lines.slice(20).map((line) => line.replace(/.* is /u, ''))).toContain('connected from 192.0.2.7:40000');
    expect(lines).toHaveLength(40);
  });
});

describe('the name of a node', () => {
  it('means an id, a name in any case, or six letters of an id', async () => {
    const sample = await sampleNodes();
    const { machine } = paired(sample);
    paired(sample, { name: 'other' });
    for (const name of [machine.id, 'MAC', machine.id.slice(0, 6)]) expect(sample.nodes.show(name).id).toBe(machine.id);
    expect(faultOf(() => sample.nodes.show(machine.id.slice(0, 5)))).toMatchObject({
      code: 'NODE_UNKNOWN',
      hint: expect.stringContaining(`mac (${machine.id})`),
    });
  });

  it('never means a revoked node while a live one has it', async () => {
    const sample = await sampleNodes();
    const old = paired(sample);
    sample.nodes.remove('mac', 'ann');
    const fresh = paired(sample);
    expect(sample.nodes.show('mac').id).toBe(fresh.machine.id);
    expect(sample.nodes.show(old.machine.id).state).toBe('revoked');
  });

  it('is ambiguous where it begins several ids', async () => {
    const sample = await sampleNodes();
    for (const end of ['b', 'c']) paired(sample, { id: 'a'.repeat(31) + end });
    expect(faultOf(() => sample.nodes.show('aaaaaa')).code).toBe('NODE_AMBIGUOUS');
  });
});
