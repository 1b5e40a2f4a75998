/** Compound commands on this machine: one session, judged again step by step, with one entry in the record of changes. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import { localFiles } from '../../../src/hosts/files/files.ts';
import type { ExecOutcome } from '../../../src/wire/exec.ts';
import { makeFolder } from '../../support/folder.ts';
import { allow, testGateway, type TestGateway } from '../../support/gateway.ts';
import { until } from '../../support/until.ts';

const STEPS: ConfigFile = { tools: { exec: { host: 'gateway', compound: 'steps', starter: 'workspace' } } };
const PROGRAMS = ['sleep', 'sh', 'env'].map((name) => `/usr/bin/${name}`);

async function setting(config = STEPS): Promise<TestGateway> {
  const at = await testGateway(config);
  allow(at.stateDir, [...PROGRAMS, '/usr/bin/dash', join(at.folder, 'tool')]);
  return at;
}

function outputOf(outcome: ExecOutcome): { readonly text: string; readonly code: number | undefined } {
  if (!('session' in outcome)) throw new Error(JSON.stringify(outcome));
  return { text: outcome.output.text, code: outcome.session.exitCode };
}

function tool(folder: string, text: string): void {
  writeFileSync(join(folder, 'tool'), `#!/bin/sh\n${text}\n`);
  chmodSync(join(folder, 'tool'), 0o755);
}

describe('a compound command', () => {
  test.each<[string, string, number]>([
    ['echo one && echo two', 'one\ntwo\n', 0],
    ['false || echo "$?"; false', '1\n', 1],
    ['mkdir d && cd d && pwd', 'FOLDER/d\n', 0],
    ['echo b > f; echo a >> f; sort < f', 'a\nb\n', 0],
    ["cat <<'EOF' | tr a-z A-Z\ntext\nEOF", 'TEXT\n', 0],
    ['cat missing 2>&1 | wc -l', '1\n', 0],
    ['echo x > no/f; echo "$?"', 'pincer: no/f: No such file or directory\n1\n', 0],
  ])('%s', async (command, text, code) => {
    const { exec, folder } = await setting();
    expect(outputOf(await exec({ command }))).toEqual({ text: text.replace('FOLDER', folder), code });
  });

  test('is one entry of the record, and undo takes all of it back', async () => {
    const { exec, folder, stateDir } = await setting();
    writeFileSync(join(folder, 'old'), 'old\n');
    await exec({ command: 'mkdir d && cp old d/copy && rm old; echo new > f; mv f d/g; chmod 600 d/g' });
    expect([readdirSync(folder), readdirSync(join(folder, 'd'))]).toEqual([['d'], ['copy', 'g']]);
    const files = localFiles({ cwd: folder, stateDir, author: { agent: 'main', client: 'unknown' } });
    const changes = await files.changes();
    expect(changes.list().map(({ tool: by, agent }) => [by, agent])).toEqual([['exec', 'main']]);
    expect(changes.undo(undefined, { operator: true })).toMatchObject({ ok: true });
    expect([readdirSync(folder), readFileSync(join(folder, 'old'), 'utf8')]).toEqual([['old'], 'old\n']);
    files.close();
  });

  test('ends where a step is not allowed when it starts', async () => {
    const { exec, folder } = await setting();
    mkdirSync(join(folder, 'inside'));
    const outside = makeFolder();
    tool(folder, `rm -r inside; ln -s ${outside} inside`);
    const { text, code } = outputOf(await exec({ command: './tool; echo secret > inside/f; echo after' }));
    expect({ text, code }).toEqual({
      text: expect.stringMatching(
        /^pincer: not started: echo secret > inside\/f: .* is not in the workspace/u,
      ) as string,
      code: 126,
    });
    expect(readdirSync(outside)).toEqual([]);
  });

  test('does not start a program that a step has replaced', async () => {
    const { exec, folder } = await setting();
    tool(folder, 'mv other echo');
    writeFileSync(join(folder, 'other'), '#!/bin/sh\necho replaced\n', { mode: 0o755 });
    writeFileSync(join(folder, 'echo'), '#!/bin/sh\necho first\n', { mode: 0o755 });
    const asked = await exec({ command: './tool; ./echo' });
    expect(asked.status).toBe('approval-pending');
  });

  test.each([
    ['runs the words that were approved', ':', 'a\n'],
    ['does not run other words than those that were approved', 'echo > b', undefined],
  ])('with an approval %s', async (_what, before, ran) => {
    const { gateway, exec, folder } = await setting();
    tool(folder, before);
    writeFileSync(join(folder, 'unlisted'), '#!/bin/sh\necho "$@" > ran\n', { mode: 0o755 });
    writeFileSync(join(folder, 'a'), '');
    const asked = await exec({ command: './tool; ./unlisted [ab]' });
    if (asked.status !== 'approval-pending') throw new Error(asked.status);
    const answer = { id: asked.approval.id, decision: 'allow-once', by: 'ann' } as const;
    await gateway.call('approval.resolve', answer);
    const list = () => gateway.call('session.list', { caller: { agent: 'main', operator: true } });
    await until(async () => (await list()).every(({ status }) => status !== 'running'), 'the end of the command');
    const written = existsSync(join(folder, 'ran')) ? readFileSync(join(folder, 'ran'), 'utf8') : undefined;
    expect([written, (await list()).map(({ exitCode }) => exitCode)]).toEqual([ran, [ran === undefined ? 126 : 0]]);
  });

  test('ends with its session: no further step starts after a kill or timeout', async () => {
    const { gateway, exec, folder } = await setting();
    const started = await exec({ command: 'touch begun; sleep 600; touch after', background: true });
    if (!('session' in started)) throw new Error(JSON.stringify(started));
    await until(() => existsSync(join(folder, 'begun')), 'the first step');
    await gateway.call('session.kill', { caller: { agent: 'main', conversation: 'c' }, sessionId: started.session.id });
    const timedOut = await exec({ command: 'sleep 600; touch after', timeout: 0.2 });
    expect([timedOut.status, existsSync(join(folder, 'after'))]).toEqual(['failed', false]);
  });

  test.each([
    ['git', 'echo x > .git/config'],
    ['the outside', 'echo x > /etc/pincer-test'],
    ['the outside, through a link', 'echo x > out/f'],
  ])('asks before it writes a file of %s', async (_what, command) => {
    const { exec, folder } = await setting();
    mkdirSync(join(folder, '.git'));
    symlinkSync(makeFolder(), join(folder, 'out'));
    expect((await exec({ command })).status).toBe('approval-pending');
  });

  test('asks before it writes where the agent has no tool `write`', async () => {
    const { exec } = await setting({ tools: { ...STEPS.tools, deny: ['write'] } });
    expect((await exec({ command: 'echo x > f' })).status).toBe('approval-pending');
    expect((await exec({ command: 'mkdir d; ls' })).status).toBe('approval-pending');
  });

  test('has no terminal, and says so', async () => {
    const { exec } = await setting();
    const outcome = await exec({ command: 'echo a; echo b', pty: true });
    expect(outcome.warnings).toContain('pty has no effect: several commands that run without a shell have no terminal');
  });
});

test('a folder that is swapped for a link while a step runs is not written through', async () => {
  const { exec, folder } = await setting();
  const outside = makeFolder();
  mkdirSync(join(folder, 'd'));
  tool(folder, ': > begun; echo text; until [ -e go ]; do sleep 0.01; done');
  const running = exec({ command: './tool > d/f; echo "$?"' });
  await until(() => existsSync(join(folder, 'begun')), 'the program');
  renameSync(join(folder, 'd'), join(folder, 'was'));
  symlinkSync(outside, join(folder, 'd'));
  writeFileSync(join(folder, 'go'), '');
  const { text } = outputOf(await running);
  expect([readdirSync(outside), text]).toEqual([
    [],
    expect.stringMatching(/was not written|not in the workspace|1\n$/u) as string,
  ]);
});
