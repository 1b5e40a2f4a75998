import { describe, expect, it } from 'vitest';
import type { ApprovalStore } from '../../../src/hosts/approvals/shape.ts';
import { ruleKey } from '../../../src/hosts/approvals/question-keys.ts';
import type { ApprovalInfo } from '../../../src/wire/approval.ts';
import { makeFolder } from '../../support/folder.ts';
import { fc, runs } from '../../support/property.ts';
import { ENGINES } from '../database/engines.ts';
import { BINDING, type Clock, databaseIn, JUDGEMENT, RUN, storeAt } from './sample.ts';

const RM = BINDING.programs[0]!;

describe('the key of a rule', () => {
  it.each([
    ['the identity of a program', { programs: [{ ...RM, identity: '9' }] }],
    ['the spaces between words', { command: 'rm  -rf "build dir"' }],
    ['the client and the conversation', { client: 'codex', conversation: 'c2' }],
    ['the name that was typed', { programs: [{ ...RM, argv: ['/bin/rm', '-rf', 'build dir'] }] }],
  ])('does not depend on %s', (_, change) => {
    expect(ruleKey({ ...BINDING, ...change })).toBe(ruleKey(BINDING));
  });

  it.each([
    ['an argument', { programs: [{ ...RM, argv: ['rm', '-rf', 'other'] }] }],
    ['the folder', { cwd: '/home/ann' }],
    ['the agent', { agent: 'other' }],
    ['a variable', { env: { LANG: 'D' } }],
    ['the terminal', { pty: true }],
  ])('depends on %s', (_, change) => {
    expect(ruleKey({ ...BINDING, ...change })).not.toBe(ruleKey(BINDING));
  });

  it('is the same for two secrets', () => {
    const withPassword = (password: string) => ({ ...BINDING, command: `curl -u ann:${password} https://x.example` });
    expect(ruleKey(withPassword('hunter2-abcdef'))).toBe(ruleKey(withPassword('other-secret-1')));
  });
});

describe.each(ENGINES)('one question for many calls, with %s', (engine) => {
  const fresh = async () => {
    const clock: Clock = { time: 1_000_000 };
    const file = databaseIn(makeFolder());
    return { clock, file, store: await storeAt(file, clock, engine) };
  };
  const ask = (store: ApprovalStore, more: object = {}, expiresAt = 2_000_000): ApprovalInfo =>
    store.ask({ binding: { ...BINDING, ...more }, judgement: JUDGEMENT, expiresAt, run: RUN });
  const ids = (all: readonly ApprovalInfo[]): readonly string[] => all.map(({ id }) => id);

  it('lists the first call with the number of all', async () => {
    const { store, clock, file } = await fresh();
    const first = ask(store);
    const others = [ask(store, { conversation: 'c2' }), ask(store, { client: 'codex' })];
    expect(others.map(({ question }) => question)).toEqual([first.id, first.id]);
    const again = await storeAt(file, clock, engine);
    expect(again.list('pending')).toMatchObject([{ id: first.id, waiting: 3 }]);
    expect([again.count('pending'), again.list('waiting').length]).toEqual([1, 3]);
  });

  it.each([
    ['the agent', { agent: 'other' }],
    ['the folder', { cwd: '/home/ann' }],
    ['the identity of a program', { programs: [{ ...RM, identity: '9' }] }],
    ['a file that it runs', { files: [{ path: '/w/x.sh', identity: '1' }] }],
    ['a variable', { env: { LANG: 'D' } }],
  ])('asks again where %s differs, which a person would see', async (_, change) => {
    const { store } = await fresh();
    ask(store);
    expect(ask(store, change).question).toBeUndefined();
    expect(store.count('pending')).toBe(2);
  });

  it('waits as long as the last call', async () => {
    const { store } = await fresh();
    const [first, last] = [ask(store, {}, 1_500_000), ask(store, {}, 1_700_000)];
    expect(store.expire(1_699_999)).toEqual([]);
    expect(ids(store.expire(1_700_000))).toEqual([first.id, last.id]);
  });

  it('lets one call leave, and the others wait', async () => {
    const { store, clock } = await fresh();
    const [first, second, third] = [ask(store), ask(store), ask(store)];
    expect(store.resolve(first.id, 'deny', 'ann', { onlyThis: true })).toMatchObject({ ok: true, others: [] });
    expect(store.list('pending')).toMatchObject([{ id: second.id, waiting: 2 }]);
    expect(store.deniedSince(BINDING, clock.time - 1)).toBeUndefined();
    const answer = store.resolve(third.id, 'allow-once', 'ann');
    expect(answer.ok && ids(answer.others)).toEqual([second.id]);
  });

  it('remembers a denial in its conversation only', async () => {
    const { store, clock } = await fresh();
    store.resolve(ask(store).id, 'deny', 'ann', { said: 'not now' });
    expect(store.deniedSince(BINDING, clock.time - 1)).toEqual({ at: clock.time, said: 'not now' });
    expect(store.deniedSince({ ...BINDING, conversation: 'c2' }, clock.time - 1)).toBeUndefined();
    expect(store.deniedSince({ ...BINDING, client: 'codex' }, clock.time - 1)).toBeUndefined();
    expect(store.deniedSince(BINDING, clock.time)).toBeUndefined();
  });

  /** What a call may meet: a twin, another command, an answer to any call, the claim of a run, a restart, the time. */
  const step = fc.oneof(
    fc.record({ do: fc.constant('ask' as const), other: fc.boolean() }),
    fc.record({ do: fc.constantFrom('allow-once', 'deny', 'leave', 'consume'), at: fc.nat({ max: 9 }) }),
    fc.record({ do: fc.constantFrom('expire', 'restart') }),
  );

  it('serves every call that waits with one answer, and lets each run at most once', async () => {
    const folder = makeFolder();
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const clock: Clock = { time: 1_000_000 };
        const file = `${databaseIn(folder)}-${number++}`;
        let store = await storeAt(file, clock, engine);
        const asked: ApprovalInfo[] = [];
        const decided = new Map<string, string>();
        const ran = new Map<string, number>();
        for (const one of steps) {
          clock.time += 1;
          if (one.do === 'ask')
            asked.push(ask(store, 'other' in one && one.other ? { command: 'rm other' } : {}, clock.time + 5));
          else if (one.do === 'expire')
            for (const { id } of store.expire(clock.time)) {
              expect(decided.has(id)).toBe(false);
              decided.set(id, 'expired');
            }
          else if (one.do === 'restart') store = await storeAt(file, clock, engine);
          else {
            const approval = asked['at' in one ? one.at % Math.max(1, asked.length) : 0];
            if (approval === undefined) continue;
            const { id, binding } = approval;
            if (one.do === 'consume') {
              if (store.consume(id)) ran.set(id, (ran.get(id) ?? 0) + 1);
              continue;
            }
            const decision = one.do === 'leave' ? 'deny' : one.do;
            const answer = store.resolve(id, decision, 'ann', { onlyThis: one.do === 'leave' });
            if (!answer.ok) continue;
            for (const each of [answer.approval, ...answer.others]) {
              expect(decided.has(each.id)).toBe(false);
              expect(each.binding.command).toBe(binding.command);
              decided.set(each.id, decision);
            }
            // An answer leaves no call of its question behind.
            const left = store.list('waiting').filter((each) => each.binding.command === binding.command);
            if (one.do !== 'leave') expect(left).toEqual([]);
          }
        }
        const waiting = store.list('waiting');
        const questions = store.list('pending');
        expect(new Set([...decided.keys(), ...ids(waiting)]).size).toBe(asked.length);
        expect(questions.reduce((sum, each) => sum + (each.waiting ?? 1), 0)).toBe(waiting.length);
        for (const [id, times] of ran) expect([decided.get(id), times]).toEqual(['allow-once', 1]);
      }),
      { numRuns: runs(40) },
    );
  });
});
