import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reportOf, reportText } from '../../../src/apps/cli/policy/replay.ts';
import { allow, JUDGED, pending, testGateway, type TestGateway } from '../../support/gateway.ts';

const ENVIRONMENT = { PATH: '/usr/bin:/bin' };

function replayed({ gateway }: TestGateway, more: object = {}) {
  return gateway.call('policy.replay', { since: 0, environment: ENVIRONMENT, ...more });
}

it('lists commands whose verdict changes with the rules of now, and those that cannot be judged again', async () => {
  const test = await testGateway(JUDGED);
  allow(test.stateDir, ['/**/uname']);
  await test.exec({ command: 'uname -n' });
  const { id } = pending(await test.exec({ command: 'expr 1 + 2' }));
  await test.gateway.call('approval.resolve', { id, decision: 'allow-once', by: 'ann' });
  pending(await test.exec({ command: 'touch x', env: { SOME_NAME: '1' } }));
  pending(await test.exec({ command: 'touch TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345' }));
  expect(await replayed(test)).toEqual({
    replayed: 2,
    changes: [],
    notReplayable: { variables: 1, masked: 1 },
  });
  allow(test.stateDir, ['/**/expr']);
  const { changes } = await replayed(test);
  expect(changes).toMatchObject([
    { command: 'uname -n', cwd: test.folder, before: 'allow', after: 'ask', code: 'allowlist-miss' },
    { command: 'expr 1 + 2', before: 'ask', after: 'allow', code: 'allowlisted' },
  ]);
});

it('judges with given rules, and stores nothing', async () => {
  const test = await testGateway(JUDGED);
  pending(await test.exec({ command: 'expr 1 + 2' }));
  const document = { version: 1, agents: { main: { deny: [{ pattern: '/**/expr' }] } } };
  expect(await replayed(test, { document })).toMatchObject({
    changes: [{ before: 'ask', after: 'deny', code: 'deny-rule' }],
  });
  expect(await replayed(test)).toMatchObject({ replayed: 1, changes: [] });
  await expect(replayed(test, { document: { version: 99 } })).rejects.toMatchObject({ code: 'EXEC_APPROVALS_INVALID' });
});

it('reads the log in parts, and counts the same change once', async () => {
  const test = await testGateway(JUDGED);
  allow(test.stateDir, ['/**/uname']);
  for (let time = 0; time < 5; time++) await test.exec({ command: 'uname -n' });
  rmSync(join(test.stateDir, 'exec-approvals.json'));
  const calls: unknown[] = [];
  const gateway = {
    call: (
      method: 'policy.replay',
      params: { readonly since: number; readonly environment: Record<string, string> },
    ) => {
      calls.push(params);
      return test.gateway.call(method, { ...params, environment: ENVIRONMENT, rows: 3 });
    },
  };
  const report = await reportOf(gateway as never, { since: '1h' }, Date.now());
  expect(calls.length).toBeGreaterThan(2);
  expect(report).toMatchObject({
    replayed: 5,
    changed: 5,
    changes: [{ times: 5, before: 'allow', after: 'ask' }],
    more: 0,
  });
  expect(reportText(report)).toMatch(
    /^5 commands since .* judged again: 5 verdicts would change\n\nruns → asks {2}\(5 times\) {2}main {2}in .*\n {2}uname -n\n {2}allowlist-miss: /u,
  );
});

it('replays what ran in a folder that is gone as not replayable', async () => {
  const test = await testGateway(JUDGED);
  pending(await test.exec({ command: 'expr 1 + 2' }));
  rmSync(test.folder, { recursive: true });
  expect(await replayed(test)).toEqual({ replayed: 0, changes: [], notReplayable: { 'folder-missing': 1 } });
});
