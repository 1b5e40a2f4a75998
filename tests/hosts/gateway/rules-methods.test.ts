import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { approvalsFileIn } from '../../../src/hosts/gateway/approvals/approvals-file.ts';
import type { RulesChange } from '../../../src/wire/methods/rules-methods.ts';
import { allow, JUDGED, output, testGateway, type TestGateway } from '../../support/gateway.ts';

const caller = { agent: 'main' };
const EXPR = { pattern: '/usr/bin/expr' };

function set({ gateway }: TestGateway, change: RulesChange, revision: string, by = 'ann') {
  return gateway.call('rules.set', { change, revision, by });
}

describe('the rules', () => {
  it('are read with their revision, and changed where it is current', async () => {
    const test = await testGateway(JUDGED);
    const empty = await test.gateway.call('rules.get', {});
    expect(empty).toEqual({
      path: join(test.stateDir, 'exec-approvals.json'),
      exists: false,
      revision: expect.any(String),
      document: { version: 1, defaults: {}, agents: {} },
      allowlist: [],
      remarks: [],
    });
    const added = await set(test, { kind: 'add', agent: 'main', entry: EXPR }, empty.revision);
    expect(added).toMatchObject({ ok: true, entry: EXPR, current: { allowlist: [{ agent: 'main', entry: EXPR }] } });
    expect(output(await test.exec({ command: 'expr 1 + 2' }))).toBe('3\n');
    expect(
      (await test.gateway.call('audit.list', { q: 'event:rules by:ann' })).map(({ details }) => details),
    ).toMatchObject([{ change: 'add', entry: EXPR, revision: added.current.revision }]);
    const id = added.current.allowlist[0]?.entry.id ?? '';
    const removed = await set(test, { kind: 'remove', agent: 'main', entry: id }, added.current.revision);
    expect(removed).toMatchObject({ ok: true, entry: { id }, current: { allowlist: [] } });
    expect(await set(test, { kind: 'remove', agent: 'main', entry: id }, removed.current.revision)).toMatchObject({
      ok: false,
      reason: 'unknown-entry',
    });
  });

  it('are not changed on a stale revision, which answers with the current file', async () => {
    const test = await testGateway(JUDGED);
    const { revision } = await test.gateway.call('rules.get', {});
    const changes = [
      { kind: 'add', agent: 'main', entry: EXPR },
      { kind: 'replace', document: { version: 1, agents: { main: { security: 'full' } } } },
      { kind: 'remove', agent: 'main', entry: '/usr/bin/expr' },
    ] as const;
    const answers = await Promise.all(changes.map((change) => set(test, change, revision)));
    const file = readFileSync(join(test.stateDir, 'exec-approvals.json'), 'utf8');
    expect(answers.map((answer) => (answer.ok ? 'ok' : answer.reason))).toEqual(['ok', 'conflict', 'conflict']);
    expect(answers[1]?.current).toEqual(answers[0]?.current);
    expect(file).not.toContain('full');
  });

  it('notice a change of the command line as a conflict', async () => {
    const test = await testGateway(JUDGED);
    const { revision } = await test.gateway.call('rules.get', {});
    approvalsFileIn(test.stateDir).add('*', [EXPR]);
    const answer = await set(test, { kind: 'replace', document: { version: 1 } }, revision);
    expect(answer).toMatchObject({
      ok: false,
      reason: 'conflict',
      current: { allowlist: [{ agent: '*', entry: EXPR }] },
    });
  });

  it.each([
    ['a document that is not one', { kind: 'replace', document: { version: 3 } }],
    ['a wrong example', { kind: 'add', agent: 'main', entry: { ...EXPR, args: ['a'], match: ['expr b'] } }],
    ['a bare name', { kind: 'add', agent: 'main', entry: { pattern: 'expr' } }],
  ] as const)('refuse %s, and stay as they are', async (_, change) => {
    const test = await testGateway(JUDGED);
    const before = await test.gateway.call('rules.get', {});
    expect(await set(test, change, before.revision)).toMatchObject({ ok: false, reason: 'invalid', current: before });
    expect(await test.gateway.call('audit.list', { q: 'event:rules' })).toEqual([]);
  });

  it('show which entries have expired', async () => {
    const test = await testGateway(JUDGED);
    const { revision } = await test.gateway.call('rules.get', {});
    const answer = await set(test, { kind: 'add', agent: '*', entry: { ...EXPR, expiresAt: 1_000 } }, revision);
    expect(answer.current).toMatchObject({
      allowlist: [{ agent: '*', expired: true }],
      remarks: [expect.stringMatching(/for \/usr\/bin\/expr expired at 1970-01-01T00:00:01.000Z, and has no effect/u)],
    });
  });

  it('are tested as they are, and as a document would make them', async () => {
    const test = await testGateway(JUDGED);
    allow(test.stateDir, ['/usr/bin/expr']);
    const asked = { caller, folder: test.folder };
    expect(await test.gateway.call('rules.test', asked)).toMatchObject({ ok: true, rules: 1, problems: [] });
    const wrong = { version: 1, agents: { main: { allowlist: [{ ...EXPR, notMatch: ['expr 1'] }] } } };
    expect(await test.gateway.call('rules.test', { ...asked, document: wrong })).toMatchObject({
      ok: false,
      problems: [{ list: 'exec-approvals.json', message: expect.stringContaining('agents.main.allowlist[0]') }],
    });
    expect(await test.gateway.call('rules.test', { ...asked, document: { version: 1 } })).toMatchObject({
      ok: true,
      rules: 0,
    });
  });
});
