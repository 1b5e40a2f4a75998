import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import { makeFolder } from '../../support/folder.ts';
import { allow, output, pending, type TestGateway, testGateway } from '../../support/gateway.ts';
import { bubblewrapTechnology, whyNoBubblewrap } from '../../support/sandbox.ts';

const MISSES: ConfigFile = { tools: { exec: { host: 'gateway', onMiss: 'sandbox' } } };
const missing = await whyNoBubblewrap();

async function withSandbox(config: ConfigFile = MISSES): Promise<TestGateway> {
  const root = makeFolder();
  return testGateway(config, { sandboxes: await bubblewrapTechnology(root) }, root);
}

async function explained({ gateway, folder }: TestGateway, command: string) {
  const context = { caller: { agent: 'main', conversation: 'c' }, folder, environment: { PATH: '/usr/bin:/bin' } };
  return gateway.call('policy.explain', { request: { command }, context });
}

function postureOf({ gateway, folder }: TestGateway) {
  return gateway.call('policy.posture', { caller: { agent: 'main', conversation: 'c' }, folder });
}

describe.skipIf(missing !== undefined)('tools.exec.onMiss: sandbox, with sandbox.mode off', () => {
  it('runs code of the project as a whole in the sandbox, and says so', async () => {
    const test = await withSandbox();
    writeFileSync(join(test.folder, 'x.sh'), 'pwd; ls /root/.ssh 2>&1; touch made\n');
    const command = 'sh x.sh && for f in x.sh; do echo "$f"; done';
    expect(await explained(test, command)).toMatchObject({
      runsOn: 'sandbox',
      isJudged: true,
      judgement: { verdict: 'allow', reason: expect.stringContaining('it runs in the sandbox: ') },
    });
    const outcome = await test.exec({ command });
    expect(outcome).toMatchObject({ status: 'completed', session: { sandbox: true, cwd: '/workspace' } });
    expect(output(outcome)).toMatch(/^\/workspace\n[^\n]*(?:No such|denied)[^\n]*\nx\.sh\n$/u);
    expect('warnings' in outcome ? outcome.warnings : []).toEqual([
      expect.stringContaining('it ran in the sandbox (bubblewrap: no network, workspace writable) instead of asking: '),
    ]);
    expect(existsSync(join(test.folder, 'made'))).toBe(true);
    expect(await test.gateway.call('approval.count', { state: 'all' })).toBe(0);
    const started = (await test.gateway.call('audit.list', {})).filter(({ event }) => event === 'started');
    expect(started).toMatchObject([{ command, details: { sandbox: true, verdict: 'allow' } }]);
  });

  it('is the sentence of the posture', async () => {
    const { posture } = await postureOf(await withSandbox());
    expect(posture).toMatchObject({
      kind: 'judged',
      effective: { onMiss: 'sandbox' },
      commands: expect.stringContaining(
        'others run in the sandbox (bubblewrap: no network, workspace writable), or ask a person where that does not confine them',
      ),
    });
  });

  it('has the workspace access of the settings', async () => {
    const test = await withSandbox({ ...MISSES, sandbox: { workspaceAccess: 'ro' } });
    const outcome = await test.exec({ command: 'touch made; echo "status $?"' });
    expect(output(outcome)).toContain('status 1');
    expect(existsSync(join(test.folder, 'made'))).toBe(false);
  });

  it('leaves to the rules what they allow: it runs on this machine', async () => {
    const test = await withSandbox();
    allow(test.stateDir, ['/**/uname']);
    const outcome = await test.exec({ command: 'uname -n' });
    expect(outcome).toMatchObject({ status: 'completed', warnings: [] });
    expect('session' in outcome ? outcome.session.sandbox : true).toBeUndefined();
  });

  it('asks about a folder outside, a variable, a terminal, and a call that only a person may answer', async () => {
    const test = await withSandbox();
    const outside = join(test.folder, '..', 'other');
    mkdirSync(outside);
    pending(await test.exec({ command: 'touch x', workdir: outside }));
    pending(await test.exec({ command: 'touch x', env: { SOME_NAME: '1' } }));
    pending(await test.exec({ command: 'touch x', pty: true }));
    pending(await test.exec({ command: 'touch y' }, { personOnly: true }));
    expect(existsSync(join(test.folder, 'x'))).toBe(false);
  });

  it('holds deny rules, also where only the sandbox has the program', async () => {
    const test = await withSandbox();
    allow(test.stateDir, [], { defaults: { deny: [{ pattern: '/**/touch' }] } });
    expect(await test.exec({ command: 'touch x' })).toMatchObject({ status: 'denied', reason: 'deny-rule' });
    // The text cannot be analysed, so deny rules cannot be checked either.
    pending(await test.exec({ command: 'for f in a; do $(echo tou)ch "$f"; done' }));
    expect(existsSync(join(test.folder, 'x'))).toBe(false);
  });

  it('runs what a rule allows in the sandbox only, also where onMiss is ask', async () => {
    const test = await withSandbox({ tools: { exec: { host: 'gateway' } } });
    const rule = { pattern: '/**/touch', where: 'sandbox' };
    const file = join(test.stateDir, 'exec-approvals.json');
    writeFileSync(file, JSON.stringify({ version: 2, agents: { main: { allowlist: [rule] } } }), { mode: 0o600 });
    const outcome = await test.exec({ command: 'touch made' });
    expect(outcome).toMatchObject({ status: 'completed', session: { sandbox: true } });
    expect(readFileSync(join(test.folder, 'made'), 'utf8')).toBe('');
    pending(await test.exec({ command: 'mkdir made2' }));
  });
});

describe('tools.exec.onMiss: sandbox, where none can be opened', () => {
  it('asks, and says why', async () => {
    const test = await testGateway(MISSES);
    const { judgement } = pending(await test.exec({ command: 'touch x' }));
    expect(judgement.reason).toMatch(/; the sandbox cannot be used: this gateway has no sandbox backend bubblewrap$/u);
    expect(await explained(test, 'touch x')).toMatchObject({ runsOn: 'gateway', judgement: { verdict: 'ask' } });
    const { posture, noSandbox } = await postureOf(test);
    expect(posture.commands).toContain('others ask a person (the sandbox cannot be used: ');
    expect(noSandbox).toBe('this gateway has no sandbox backend bubblewrap');
  });

  it('denies where no person answers', async () => {
    const test = await testGateway({ ...MISSES, approvals: { headless: true } });
    expect(await test.exec({ command: 'touch x' })).toMatchObject({
      status: 'denied',
      reason: 'approval-unavailable',
    });
    expect(existsSync(join(test.folder, 'x'))).toBe(false);
  });
});
