import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import type { ExecOutcome } from '../../../src/wire/exec.ts';
import { makeFolder } from '../../support/folder.ts';
import { ended, type TestGateway, testGateway } from '../../support/gateway.ts';
import { until, UNTIL_GO } from '../../support/patience.ts';
import { bubblewrapTechnology, whyNoBubblewrap } from '../../support/sandbox.ts';

const missing = await whyNoBubblewrap();

async function boxed(files: Readonly<Record<string, string>>, onObeyed: 'alert' | 'quarantine' = 'alert') {
  const root = makeFolder();
  const config: ConfigFile = { sandbox: { mode: 'all', rw: { onObeyed } } };
  const gateway = await testGateway(config, { sandboxes: await bubblewrapTechnology(root) }, root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(gateway.folder, path)), { recursive: true });
    writeFileSync(join(gateway.folder, path), text);
  }
  return gateway;
}

function obeyed(outcome: ExecOutcome): readonly string[] {
  if (!('session' in outcome)) throw new Error(`not run: ${JSON.stringify(outcome)}`);
  return (outcome.session.obeyed ?? []).map(
    ({ change, path, more, sinceLastCommand, quarantined, restored, notQuarantined }) =>
      `${change} ${JSON.stringify(path)}${sinceLastCommand === true ? ' since' : ''}${more === undefined ? '' : ` +${more}`}${quarantined === true ? ' taken' : ''}${
        restored === undefined ? '' : ' restored'
      }${notQuarantined === undefined ? '' : ' left'}`,
  );
}

async function noticeTexts({ gateway }: TestGateway): Promise<readonly string[]> {
  return (await gateway.call('notice.list', {}))
    .filter(({ kind }) => kind.startsWith('sandbox-'))
    .map(({ text }) => text);
}

describe.skipIf(missing !== undefined)('what a sandbox does to files that the host obeys', () => {
  it('G-4, G-8: is answered for each file, and only what is shown is shortened', async () => {
    const gateway = await boxed({}, 'quarantine');
    const { folder } = gateway;
    const outcome = await gateway.exec({
      command:
        'for i in $(seq 10 61); do mkdir -p d$i; echo e > d$i/.envrc; done; mkdir -p pd/.git/objects pd/.git/refs e/.husky; ' +
        'for i in $(seq 1 20); do : > e/.husky/$i; done; mkfifo .tool-versions',
    });
    expect(readdirSync(folder).filter((name) => existsSync(join(folder, name, '.envrc')))).toEqual([]);
    expect([existsSync(join(folder, 'pd/.git')), existsSync(join(folder, 'e/.husky'))]).toEqual([false, false]);
    const shown = obeyed(outcome);
    expect(shown[0]).toBe('new ".tool-versions" left');
    expect(shown).toHaveLength(50);
    expect(shown.at(-1)).toMatch(/ \+5 taken$/u);
    // The first one was told before anything was taken away.
    const [found = '', text = ''] = await noticeTexts(gateway);
    expect(found).toContain(' and 5 more was created, and programs on the host obey it');
    expect(found).not.toContain('taken away');
    expect(text).toContain('".tool-versions" is not a file, folder or symlink');
    expect(text).toContain(' and 5 more was created');
  });

  it('G-3: is reported below a name that is not UTF-8, and no sandbox is opened over it', async () => {
    const gateway = await boxed({});
    const outcome = await gateway.exec({ command: String.raw`d=$(printf 's\377c'); mkdir $d; echo evil > $d/.envrc` });
    expect(obeyed(outcome)).toEqual([String.raw`new "s\udcffc/.envrc"`]);
    await gateway.gateway.call('sandbox.recreate', {});
    await expect(gateway.exec({ command: 'true' })).rejects.toMatchObject({
      code: 'SANDBOX_GUARDS_TOO_MANY',
      message: expect.stringContaining(String.raw`"s\udcffc/.envrc" in`) as string,
    });
  });

  it('G-6, R3-1: is reported when a leftover process or the host does it while nothing runs', async () => {
    const gateway = await boxed({}, 'quarantine');
    const { folder } = gateway;
    const left = await gateway.exec({
      command:
        "(setsid env -i /bin/sh -c 'while [ ! -e go ]; do sleep 0.05; done; mkdir late; echo evil > late/.envrc; touch done' >/dev/null 2>&1 </dev/null &); true",
    });
    expect(obeyed(left)).toEqual([]);
    writeFileSync(join(folder, 'go'), '');
    await until(() => existsSync(join(folder, 'done')), 'the process that was left behind wrote');
    const told = ['new "late/.envrc" since', 'new ".tool-versions" since'];
    expect(obeyed(await gateway.exec({ command: 'true' }))).toEqual(told.slice(0, 1));
    // Nobody can say from outside whether the operator made it, so it is told and left.
    writeFileSync(join(folder, '.tool-versions'), '');
    expect(obeyed(await gateway.exec({ command: 'true' }))).toEqual(told.slice(1));
    expect(['late/.envrc', '.tool-versions'].filter((path) => !existsSync(join(folder, path)))).toEqual([]);
    expect(obeyed(await gateway.exec({ command: 'true' }))).toEqual([]);
  });

  it('G-6: is reported when the sandbox ends before another command', async () => {
    const gateway = await boxed({});
    await gateway.exec({
      command:
        "(setsid sh -c 'while [ ! -e go ]; do sleep 0.05; done; echo x > .envrc; touch done; sleep 1000' >/dev/null 2>&1 &); true",
    });
    writeFileSync(join(gateway.folder, 'go'), '');
    await until(() => existsSync(join(gateway.folder, 'done')), 'the process that was left behind wrote');
    await gateway.gateway.call('sandbox.recreate', {});
    expect(await noticeTexts(gateway)).toEqual([expect.stringContaining('".envrc" was created') as string]);
  });

  it('M2: is reported for a command that ends its sandbox', async () => {
    const gateway = await boxed({});
    const outcome = await gateway.exec({ command: 'echo x > .envrc; kill -9 -1; sleep 1000' });
    expect(outcome).toMatchObject({ status: 'failed' });
    expect(await noticeTexts(gateway)).toEqual([expect.stringContaining('".envrc" was created') as string]);
  });

  it('G-2, R3-13: is reported when it uses a hard link of a guarded file, also a removed one', async () => {
    const gateway = await boxed({
      'pkg/.envrc': 'a\n',
      'scripts/pc': '#!/bin/sh\n',
      '.git/HEAD': 'ref: refs/heads/main\n',
    });
    const { folder } = gateway;
    mkdirSync(join(folder, '.git/hooks'));
    linkSync(join(folder, 'pkg/.envrc'), join(folder, 'pkg/other-name'));
    linkSync(join(folder, 'scripts/pc'), join(folder, '.git/hooks/pre-commit'));
    expect(obeyed(await gateway.exec({ command: 'true' }))).toEqual(['second-name ".git/hooks/pre-commit" +1']);
    expect(obeyed(await gateway.exec({ command: 'echo EVIL >> pkg/other-name; echo EVIL >> scripts/pc' }))).toEqual([
      'changed ".git/hooks/pre-commit"',
      'changed "pkg/.envrc"',
    ]);
    expect(obeyed(await gateway.exec({ command: 'echo EVIL >> pkg/other-name && rm pkg/other-name' }))).toEqual([
      'changed "pkg/.envrc"',
    ]);
  });

  it('G-9: is prevented for what the host makes after the sandbox has started, by a new sandbox', async () => {
    const gateway = await boxed({ '.git/HEAD': 'ref: refs/heads/main\n', '.git/objects/x': '', '.git/refs/x': '' });
    const { folder } = gateway;
    const newest = async (): Promise<string | undefined> => (await gateway.gateway.call('sandbox.list', {})).at(-1)?.id;
    await gateway.exec({ command: 'mkdir -p own/.git; echo x > own/.git/config' });
    const first = await newest();
    // What was made inside was reported, and is no reason to start again.
    expect([obeyed(await gateway.exec({ command: 'echo y > own/.git/config' })), await newest()]).toEqual([
      ['changed "own/.git/config"'],
      first,
    ]);
    const made = ['.envrc', 'pincer.jsonc', 'app/.git/config', 'hooks/pre-commit', 'own/.git/config', 'conf/mcp.json'];
    for (const path of made) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), '{}');
    }
    symlinkSync('conf/mcp.json', join(folder, '.mcp.json'));
    writeFileSync(join(folder, '.git/config'), '[core]\n hooksPath = hooks\n');
    const write = { command: `for f in ${made.join(' ')}; do (echo EVIL >> $f) 2>/dev/null; done; true` };
    // Both find the first sandbox, and neither runs in it.
    const both = await Promise.all([gateway.exec(write), gateway.exec(write)]);
    expect(both.flatMap(obeyed)).toEqual([
      'new ".envrc" since',
      'new ".mcp.json" since',
      'new "app/.git" since',
      'changed "own/.git/config" since',
      'new "pincer.jsonc" since',
    ]);
    expect(made.map((path) => readFileSync(join(folder, path), 'utf8'))).toEqual(made.map(() => '{}'));
    const second = await newest();
    expect(second).not.toBe(first);
    await gateway.exec({ command: 'true' });
    expect(await newest()).toBe(second);
  });

  it('G-9: refuses work while something runs, and guards the file afterwards', async () => {
    const gateway = await boxed({});
    const envrc = join(gateway.folder, '.envrc');
    const started = await gateway.exec({ command: UNTIL_GO, background: true });
    if (!('session' in started)) throw new Error('not started');
    await gateway.exec({ command: 'mkdir own; mkdir own/.git' });
    await gateway.exec({ command: 'true' });
    writeFileSync(envrc, 'use operator\n');
    await expect(gateway.exec({ command: 'echo EVIL >> .envrc' })).rejects.toMatchObject({
      code: 'SANDBOX_GUARD_LOST',
      message: expect.stringContaining('".envrc" is new and not guarded') as string,
    });
    expect((await noticeTexts(gateway)).at(-1)).toContain(
      '".envrc" is new and not guarded and running commands can write it',
    );
    writeFileSync(join(gateway.folder, 'go'), '');
    await ended(gateway, started.session.id);
    await gateway.exec({ command: 'echo EVIL >> .envrc; true' });
    expect(readFileSync(envrc, 'utf8')).toBe('use operator\n');
  });

  it('G-9: is undone for a changed file with quarantine, and only a new one is taken away', async () => {
    const gateway = await boxed(
      {
        '.github/workflows/ci.yml': 'operator\n',
        Jenkinsfile: 'operator\n',
        '.gitattributes': 'operator\n',
        '.github/workflows/long.yml': 'x'.repeat(300 * 1024),
        'ci/real.yml': 'operator\n',
      },
      'quarantine',
    );
    const at = (path: string): string => join(gateway.folder, path);
    symlinkSync('ci/real.yml', at('.gitlab-ci.yml'));
    chmodSync(at('.github/workflows/ci.yml'), 0o640);
    const background = await gateway.exec({ command: UNTIL_GO, background: true });
    if (!('session' in background)) throw new Error('not started');
    const outcome = await gateway.exec({
      command: [
        'echo EVIL > .github/workflows/ci.yml; chmod 000 .github/workflows/ci.yml; echo EVIL > .github/workflows/new.yml',
        'rm Jenkinsfile; ln -s ci/real.yml Jenkinsfile; rm .gitattributes; mkdir .gitattributes; echo EVIL > .gitattributes/x',
        'echo EVIL > .github/workflows/long.yml; echo EVIL > ci/real.yml; ln -sf Jenkinsfile .gitlab-ci.yml',
      ].join('; '),
    });
    expect(obeyed(outcome)).toEqual([
      'changed ".gitattributes" restored',
      'changed ".github/workflows/ci.yml" restored',
      'changed ".github/workflows/long.yml" left',
      'new ".github/workflows/new.yml" taken',
      'changed ".gitlab-ci.yml" restored',
      'changed "Jenkinsfile" restored',
    ]);
    const files = ['.github/workflows/ci.yml', 'Jenkinsfile', '.gitattributes', 'ci/real.yml'];
    expect(files.map((path) => readFileSync(at(path), 'utf8'))).toEqual(files.map(() => 'operator\n'));
    expect([statSync(at(files[0]!)).mode & 0o777, readlinkSync(at('.gitlab-ci.yml'))]).toEqual([0o640, 'ci/real.yml']);
    // What was restored is no change of the next command, and what was taken away is new again.
    expect(obeyed(await gateway.exec({ command: 'echo EVIL > .github/workflows/new.yml' }))).toEqual([
      'new ".github/workflows/new.yml" taken',
    ]);
    writeFileSync(at('go'), '');
    expect((await ended(gateway, background.session.id)).obeyed).toBeUndefined();
  });

  it('G-7: is reported for everything that was guarded when guards are lost', async () => {
    const gateway = await boxed({
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/objects/x': '',
      '.git/refs/x': '',
      '.git/config': '[core]\n hooksPath = hooks\n',
      '.envrc': 'source scripts/e.sh\n',
      'scripts/e.sh': '',
      'hooks/pre-commit': '',
      t1: '',
    });
    const at = (path: string): string => join(gateway.folder, path);
    const started = await gateway.exec({
      command:
        'while [ ! -e go ]; do (echo EVIL > scripts/e.sh; echo EVIL > hooks/pre-commit) 2>/dev/null; sleep 0.02; done',
      background: true,
    });
    if (!('session' in started)) throw new Error('not started');
    const text = (path: string): string => readFileSync(at(path), 'utf8');
    renameSync(at('t1'), at('scripts/e.sh'));
    await until(() => text('scripts/e.sh') === 'EVIL\n', 'the script is written');
    await expect(gateway.exec({ command: 'true' })).rejects.toMatchObject({ code: 'SANDBOX_GUARD_LOST' });
    rmSync(at('hooks'), { recursive: true });
    mkdirSync(at('hooks'));
    await until(
      () => existsSync(at('hooks/pre-commit')) && text('hooks/pre-commit') === 'EVIL\n',
      'the hook is written',
    );
    await expect(gateway.exec({ command: 'true' })).rejects.toMatchObject({ code: 'SANDBOX_GUARD_LOST' });
    expect(await noticeTexts(gateway)).toEqual([
      expect.stringContaining('"scripts/e.sh" was replaced') as string,
      expect.stringContaining('"hooks" was replaced') as string,
    ]);
    writeFileSync(at('go'), '');
    const session = await ended(gateway, started.session.id);
    // The new folder may have the inode of the old one, and then only what is in it has changed.
    const paths = session.obeyed?.map(({ path }) => path).filter((path) => path !== 'hooks');
    expect(paths?.sort()).toEqual(['hooks/pre-commit', 'scripts/e.sh']);
  });
});
