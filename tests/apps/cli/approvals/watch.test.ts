import { describe, expect, it } from 'vitest';
import { keysIn } from '../../../../src/apps/cli/approvals/keyboard.ts';
import { screenText, watchApprovals } from '../../../../src/apps/cli/approvals/watch.ts';
import {
  INITIAL_STATE,
  onKey,
  REPLACED_GUARD_MS,
  withPending,
} from '../../../../src/apps/cli/approvals/watch-state.ts';
import { type Desk, desk } from './desk.ts';

const stateOf = ({ store }: Desk, id: string) => {
  const found = store.find(id);
  return typeof found === 'string' ? found : (found.decision ?? found.state);
};

describe('pincer approvals watch with a keyboard', () => {
  it('shows pending and new requests, answers by keys, and quits', async () => {
    const place = await desk({ keyboard: true });
    const first = place.ask({ command: 'first' }, { at: undefined });
    const running = place.run('watch');
    await place.sees('pincer approvals: 1 pending');
    await place.sees('  first\r\n');
    const second = place.ask({ command: 'second' }, { at: undefined });
    await place.sees(`${second.slug}  1m 42s left  claude-code  second`); // B24: with its command
    place.clock.time += REPLACED_GUARD_MS;
    place.press('a');
    await place.sees(`allowed ${first.slug}: first`);
    place.press('d');
    await place.sees('another request has just been selected: check it first');
    expect(stateOf(place, second.id)).toBe('pending');
    place.clock.time += REPLACED_GUARD_MS;
    place.press('d');
    await place.sees('no pending approval requests');
    place.press('q');
    expect(await running).toMatchObject({ code: 0, err: '' });
    expect([first.id, second.id].map((id) => stateOf(place, id))).toEqual(['allow-once', 'deny']);
    expect(place.text().endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
  });

  it('stores an entry only at the second A', async () => {
    const place = await desk({ keyboard: true });
    const { id } = place.ask();
    const running = place.run('watch');
    await place.sees('always would store for main:');
    place.clock.time += REPLACED_GUARD_MS;
    place.press('A');
    await place.sees('press A again to store');
    expect(stateOf(place, id)).toBe('pending');
    place.press('A');
    await place.sees('stored for main: /usr/bin/rm');
    place.press('C-c');
    expect((await running).code).toBe(0);
    expect([stateOf(place, id), place.file.rulesFor('main').allowlist.length]).toEqual(['allow-always', 1]);
  });

  it('ignores an answer of the daemon that a later one has overtaken', async () => {
    const place = await desk({ keyboard: true });
    const { id, slug } = place.ask();
    const gateway = await place.io.connect();
    const held: (() => void)[] = [];
    let isSlow = false;
    const call: typeof gateway.call = async (method, params) => {
      const answer = await gateway.call(method, params);
      if (isSlow && method === 'approval.list') await new Promise<void>((go) => held.push(go));
      return answer;
    };
    const io = { ...place.io, connect: () => Promise.resolve({ ...gateway, call }) };
    const end = new AbortController();
    const running = watchApprovals({ output: place.output, json: false, io, signal: end.signal });
    await place.sees('1 pending');
    place.clock.time += REPLACED_GUARD_MS;
    isSlow = true;
    const second = place.ask({ command: 'second' });
    await expect.poll(() => held.length).toBe(1);
    isSlow = false;
    place.press('d');
    await place.sees(`denied ${slug}`);
    held[0]?.();
    await new Promise(setImmediate);
    place.press('x');
    await place.sees('  second\r\n');
    await place.sees('pincer approvals: 1 pending');
    end.abort();
    expect([await running, stateOf(place, id), stateOf(place, second.id)]).toEqual([0, 'deny', 'pending']);
  });

  it('puts the terminal right and fails when the daemon goes away', async () => {
    const place = await desk({ keyboard: true });
    const gateway = await place.io.connect();
    const gone = { ...gateway, notices: () => Promise.reject(new Error('the daemon is gone')) };
    const watch = { output: place.output, json: false, io: { ...place.io, connect: () => Promise.resolve(gone) } };
    await expect(watchApprovals(watch)).rejects.toThrow('the daemon is gone');
    expect(place.text().endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
  });
});

describe('pincer approvals watch in a pipe', () => {
  it('tells each question when it comes and when it no longer waits', async () => {
    const place = await desk({ isTerminal: false });
    const first = place.ask();
    const end = new AbortController();
    const running = watchApprovals({ output: place.output, json: true, io: place.io, signal: end.signal });
    await place.sees(first.id);
    place.store.resolve(first.id, 'deny', 'bob');
    const second = place.ask();
    await place.sees('"resolved"');
    await place.sees(second.id);
    end.abort();
    expect(await running).toBe(0);
    const said = place
      .text()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; approval: { id: string; state: string } })
      .map(({ event, approval }) => [event, approval.id, approval.state]);
    expect(said).toEqual([
      ['pending', first.id, 'pending'],
      ['pending', second.id, 'pending'],
      ['resolved', first.id, 'denied'],
    ]);
  });
});

describe('a key', () => {
  const two = async () => {
    const place = await desk();
    const pending = [place.ask({ command: 'one' }), place.ask({ command: 'two' }, { proposal: undefined })];
    return { place, pending, watching: withPending(INITIAL_STATE, pending, 0) };
  };

  it('answers the selected request, also when others come and go', async () => {
    const { pending, watching } = await two();
    const [one, other] = pending;
    const down = onKey(watching, 'j', 9000, true).state;
    const after = withPending(down, [other!], 9001);
    expect(onKey(after, 'a', 9002, true).answer).toEqual({
      id: other?.id,
      digest: other?.digest,
      decision: 'allow-once',
    });
    const back = onKey(onKey(down, 'Up', 9000, true).state, 'k', 9000, true).state;
    expect(onKey(back, 'd', 9002, true).answer).toEqual({ id: one?.id, digest: one?.digest, decision: 'deny' });
  });

  it('does not answer right after another request was selected', async () => {
    const { pending, watching } = await two();
    const exchanged = withPending(watching, pending.slice(1), 9000);
    const answers = ['a', 'A', 'd'].map((key) => onKey(exchanged, key, 9000 + REPLACED_GUARD_MS - 1, true).answer);
    expect([...answers, onKey(exchanged, 'a', 9000 + REPLACED_GUARD_MS, true).answer]).toEqual([
      undefined,
      undefined,
      undefined,
      { id: pending[1]?.id, digest: pending[1]?.digest, decision: 'allow-once' },
    ]);
  });

  it('does not allow what does not fit the screen, nor always allow what cannot be stored', async () => {
    const { place, watching } = await two();
    const long = place.ask({ command: 'x'.repeat(5000) });
    const seen = withPending(INITIAL_STATE, [long], 0);
    const { isWhole } = screenText(seen, place.io, false);
    const cut = withPending(INITIAL_STATE, [place.ask({ env: { A: 'x'.repeat(1_001) } })], 0);
    expect(screenText(cut, place.io, false).isWhole).toBe(false);
    expect([isWhole, screenText(watching, place.io, false).isWhole]).toEqual([false, true]);
    expect(onKey(seen, 'a', 9000, isWhole)).toMatchObject({
      state: { message: expect.stringMatching(/does not fit the screen/u) },
    });
    expect(onKey(seen, 'd', 9000, isWhole).answer).toEqual({ id: long.id, digest: long.digest, decision: 'deny' });
    const second = onKey(watching, 'j', 9000, true).state;
    expect(onKey(second, 'A', 9000, true)).toMatchObject({
      state: { message: 'nothing can be stored for this command; press a to allow it once' },
    });
  });

  it('needs a second A for the same request', async () => {
    const { watching } = await two();
    const asked = onKey(watching, 'A', 9000, true).state;
    const [other, same] = ['x', 'A'].map((key) => onKey(asked, key, 9000, true));
    expect([same?.answer?.decision, onKey(other!.state, 'A', 9000, true).answer]).toEqual(['allow-always', undefined]);
  });

  it.each([
    ['aAd', ['a', 'A', 'd']],
    ['\u001b[A\u001b[B\u001bOA', ['Up', 'Down', 'Up']],
    ['\u0003', ['C-c']],
    ['\u001b', ['Escape']],
    ['\u001b[1;5Aq', ['\u001b[1;5A', 'q']],
  ])('is parsed from terminal input: %j', (text, keys) => {
    expect(keysIn(text)).toEqual(keys);
  });
});
