/** What commands in a writable workspace do to files that the host obeys, through the program. */
import { chmodSync, existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ObeyedChange } from '../../../../src/wire/sandbox.ts';
import { makeFolder } from '../../../support/folder.ts';
import { callTool, pincer } from '../../../support/pincer.ts';
import { whyNoBubblewrap } from '../../../support/sandbox.ts';

const why = await whyNoBubblewrap();

function workspace(files: Readonly<Record<string, string>>, onObeyed = 'quarantine') {
  const inside = Object.entries(files).map(([path, text]) => [`ws/${path}`, text] as const);
  const folder = makeFolder({
    'home/.config/pincer/pincer.jsonc': JSON.stringify({ sandbox: { mode: 'all', rw: { onObeyed } } }),
    ...Object.fromEntries(inside),
  });
  onTestFinished(() => void pincer(folder, ['daemon', 'stop', '--force']));
  const at = (path: string): string => join(folder, 'ws', path);
  const exec = (command: string) => {
    const { text, details } = callTool(folder, 'exec', { command });
    const obeyed = (details['obeyed'] ?? []) as readonly ObeyedChange[];
    return {
      text,
      obeyed: obeyed.map(({ path, quarantined, notQuarantined }) => [path, quarantined ?? notQuarantined]),
    };
  };
  const told = (command: string): string[] =>
    ((callTool(folder, 'exec', { command }).details['obeyed'] ?? []) as readonly ObeyedChange[]).map(
      ({ change, path, notQuarantined, quarantined }) =>
        `${change} ${path}${notQuarantined === undefined ? '' : ' left'}${quarantined === true ? ' taken' : ''}`,
    );
  const list = (): string[] => readdirSync(at('.'), { recursive: true, encoding: 'utf8' }).sort();
  return { folder, at, exec, told, list };
}

describe.skipIf(why !== undefined)('quarantine', () => {
  it('takes only what is new, where a command makes a folder of the operator look like a repository', () => {
    const git = { 'sub/.git/HEAD': 'ref: refs/heads/m\n', 'sub/.git/objects/x': '', 'sub/.git/refs/x': '' };
    const { at, exec, list } = workspace({
      ...git,
      'sub/.envrc': 'mine',
      'sub/.claude/settings.json': '{}',
      'sub/a': '',
    });
    mkdirSync(at('half/objects'), { recursive: true });
    writeFileSync(at('half/HEAD'), 'mine');
    exec('true');
    const before = list();
    const { obeyed } = exec(
      'cd sub; mkdir -p objects refs x; echo "ref: refs/heads/m" > HEAD; echo evil > x/.envrc; mkdir ../half/refs',
    );
    expect(obeyed.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))).toEqual(
      ['half/refs', 'sub/HEAD', 'sub/objects', 'sub/refs', 'sub/x/.envrc'].map((path) => [path, true]),
    );
    expect(list().filter((path) => path !== 'sub/x')).toEqual(before);
  }, 120_000);

  it('takes the obeyed files of a path that cannot be taken as a whole, and says so', () => {
    const { folder, at, exec, told } = workspace({ a: '' });
    const { text, obeyed } = exec(
      'mkdir .hg new; echo evil > .hg/hgrc; truncate -s 20M .hg/big; cd new; mkdir objects refs; echo x > refs/x; echo "ref: refs/heads/m" > HEAD',
    );
    expect(obeyed).toEqual(['.hg', 'new/HEAD', 'new/objects', 'new/refs'].map((path) => [path, true]));
    expect(text).toContain('some of its files were removed, "pincer changes" lists them; the rest is still there: ');
    expect(text).toContain('".hg/big" has more than 16 MB');
    expect([readdirSync(at('.hg')), readdirSync(at('new'))]).toEqual([['big'], []]);
    expect(told('mkdir .vscode; echo x > .vscode/tasks.json; mkfifo .vscode/p')).toEqual(['new .vscode left taken']);
    expect(readdirSync(at('.vscode'))).toEqual(['p']);
    // What was taken is new when it comes again.
    expect(told('echo x > .vscode/tasks.json')).toEqual(['new .vscode/tasks.json taken']);
    const [{ id }] = JSON.parse(pincer(folder, ['changes', '--json']).stdout).changes as [{ id: string }];
    expect(pincer(folder, ['undo', id, '--protect', 'none'])).toMatchObject({ status: 0 });
    expect(readdirSync(at('.vscode')).sort()).toEqual(['p', 'tasks.json']);
  }, 120_000);

  it('leaves what is new where the record has no room, so that nothing displaces what was taken before', () => {
    const { folder, at, exec } = workspace({ a: '' });
    expect(exec('echo evil > .envrc').obeyed).toEqual([['.envrc', true]]);
    const changes = join(folder, 'state/changes');
    const kept = join(changes, readdirSync(changes).find((name) => name.endsWith('-kept'))!);
    writeFileSync(join(kept, '00000002.log'), '');
    truncateSync(join(kept, '00000002.log'), 256 << 20);
    chmodSync(join(kept, '00000002.log'), 0o600);
    const full = 'the record of changes has no space for more removed files';
    expect(exec('echo evil > .tool-versions').obeyed).toEqual([['.tool-versions', full]]);
    expect(existsSync(at('.tool-versions'))).toBe(true);
    const [{ id }] = JSON.parse(pincer(folder, ['changes', '--json']).stdout).changes as [{ id: string }];
    expect(pincer(folder, ['undo', id, '--protect', 'none'])).toMatchObject({ status: 0 });
    expect(existsSync(at('.envrc'))).toBe(true);
  }, 120_000);
});

describe.skipIf(why !== undefined)('a link that leads into a build folder', () => {
  const PLANT =
    'mkdir -p target; mv app target/app; ln -s target/app app; cd target/app; mkdir -p .git/objects .git/refs .claude; ' +
    'echo "ref: refs/heads/m" > .git/HEAD; echo evil > .envrc; echo "{}" > .claude/settings.json';
  const REACHED = ['.claude', '.envrc', '.git'].map((name) => `reached target/app/${name}`);

  it('is followed, so that obeyed files planted behind it are reported', () => {
    const { folder, at, told } = workspace(
      { 'app/Jenkinsfile': 'mine', 'lib/Jenkinsfile': 'mine', 'app/a': '' },
      'alert',
    );
    told('true');
    expect(told(`${PLANT}; mv ../../lib ../lib`)).toEqual([
      'reached target/app/.claude',
      'reached target/app/.envrc',
      'reached target/app/.git',
      'reached target/app/Jenkinsfile',
      'gone lib/Jenkinsfile',
    ]);
    expect(pincer(folder, ['events', '--human']).stdout).toContain(
      '"target/app/.envrc" is in a build folder that a symlink',
    );
    expect(told('echo x > app/.tool-versions; ln -s ../other target/app/more; mkdir target/other')).toEqual([
      'new target/app/.tool-versions',
    ]);
    expect(told('echo x > target/other/.envrc')).toEqual(['new target/other/.envrc']);
    // The next sandbox guards them.
    pincer(folder, ['sandbox', 'recreate', '--all']);
    expect(told('echo evil > app/.envrc')).toEqual([]);
    expect(existsSync(at('app/.envrc'))).toBe(true);
  }, 120_000);

  it('has nothing behind it taken away that may have been there before', () => {
    const { at, told } = workspace({ 'node_modules/a/.npmrc': 'mine', 'app/a': '' });
    told('true');
    expect(told(`ln -s node_modules/a a; ${PLANT}`)).toEqual(['reached node_modules/a/.npmrc', ...REACHED]);
    expect(existsSync(at('node_modules/a/.npmrc'))).toBe(true);
    expect(told('echo x > a/.tool-versions')).toEqual(['new node_modules/a/.tool-versions taken']);
  }, 120_000);
});
