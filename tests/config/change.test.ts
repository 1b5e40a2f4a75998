import { chmodSync, mkdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changeConfigFile, type ChangeAt } from '../../src/config/edit/change.ts';
import { makeFolder } from '../support/folder.ts';

const HOST: ChangeAt = { verb: 'set', at: ['tools', 'exec', 'host'], value: 'node' };

function change(
  root: string,
  path: string,
  edit: ChangeAt = HOST,
  extra: { newFile?: { text: string; shared?: boolean }; dryRun?: boolean } = {},
) {
  return changeConfigFile({
    path,
    edits: [(document) => (edit.verb === 'set' || document.has(edit.at) ? edit : undefined)],
    stateDir: join(root, 'state'),
    cwd: root,
    agent: 'main',
    ...extra,
  });
}

describe('changing one file', () => {
  it('applies several edits in one write, or none of them', async () => {
    const text = '{ tools: { exec: { host: "gateway" } } } // mine\n';
    const root = makeFolder({ 'pincer.jsonc': text });
    const path = join(root, 'pincer.jsonc');
    const mode: ChangeAt = { verb: 'set', at: ['sandbox', 'mode'], value: 'all' };
    const unset: ChangeAt = { verb: 'unset', at: ['tools', 'exec', 'host'] };
    const all = (...edits: readonly (() => ChangeAt)[]) =>
      changeConfigFile({
        path,
        edits: edits.map((edit) => (document) => {
          const change = edit();
          return change.verb === 'set' || document.has(change.at) ? change : undefined;
        }),
        stateDir: join(root, 'state'),
        cwd: root,
        agent: 'main',
      });
    const fails = (): never => {
      throw new Error('no such place');
    };
    await expect(all(() => mode, fails)).rejects.toThrow('no such place');
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(
      await all(
        () => mode,
        () => unset,
      ),
    ).toMatchObject({ found: true, changed: true, at: mode.at });
    expect(readFileSync(path, 'utf8')).toBe('{ sandbox: { mode: "all" } } // mine\n');
    expect(
      await all(
        () => mode,
        () => unset,
      ),
    ).toMatchObject({ found: true, changed: false });
  });

  it('follows a symlink and keeps it', async () => {
    const root = makeFolder({ 'dotfiles/real.jsonc': '{ tools: {} }\n' });
    const link = join(root, 'pincer.jsonc');
    symlinkSync('dotfiles/real.jsonc', link);
    const { path, changed } = await change(root, link);
    expect([path, changed, readlinkSync(link), readFileSync(path, 'utf8')]).toEqual([
      join(root, 'dotfiles', 'real.jsonc'),
      true,
      'dotfiles/real.jsonc',
      '{ tools: {exec: {host: "node"}} }\n',
    ]);
  });

  it('keeps permissions, byte order mark, line ends and invalid UTF-8', async () => {
    const root = makeFolder();
    const path = join(root, 'pincer.jsonc');
    const head = Buffer.from([0xef, 0xbb, 0xbf, ...Buffer.from('{ // '), 0xff, 0xfe]);
    writeFileSync(path, Buffer.concat([head, Buffer.from('\r\n\ttools: { exec: { host: "gateway" } },\r\n}')]));
    chmodSync(path, 0o640);
    await change(root, path);
    expect(readFileSync(path)).toEqual(
      Buffer.concat([head, Buffer.from('\r\n\ttools: { exec: { host: "node" } },\r\n}')]),
    );
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  it('creates a private file with its folders', async () => {
    const root = makeFolder();
    const path = join(root, 'xdg', 'pincer', 'pincer.jsonc');
    const { created, after } = await change(root, path, HOST, { newFile: { text: '{\n}\n' } });
    expect([created, readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([true, after, 0o600]);
  });

  it('creates a file that all users can read when it is shared', async () => {
    const root = makeFolder();
    const path = join(root, 'etc', 'pincer.jsonc');
    await change(root, path, HOST, { newFile: { text: '{}', shared: true } });
    expect([statSync(path).mode & 0o444, statSync(join(root, 'etc')).mode & 0o555]).toEqual([0o444, 0o555]);
  });

  it('writes nothing in a dry run', async () => {
    const root = makeFolder({ 'a.jsonc': '{}\n' });
    const there = await change(root, join(root, 'a.jsonc'), HOST, { dryRun: true });
    const missing = await change(root, join(root, 'deep', 'b.jsonc'), HOST, {
      dryRun: true,
      newFile: { text: '{\n}\n' },
    });
    expect([there.diff, missing.diff, readFileSync(join(root, 'a.jsonc'), 'utf8')]).toEqual([
      `--- ${root}/a.jsonc\n+++ ${root}/a.jsonc\n@@ -1,1 +1,1 @@\n-{}\n+{"tools": {"exec": {"host": "node"}}}\n`,
      expect.stringContaining('+    "exec": {\n'),
      '{}\n',
    ]);
    expect(statSync(join(root, 'deep'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('removes all duplicates of a name', async () => {
    const root = makeFolder({ 'a.jsonc': '{ a: 1, tools: { exec: { host: "x" } }, tools: { exec: { host: "y" } } }' });
    await change(root, join(root, 'a.jsonc'), { verb: 'unset', at: ['tools', 'exec', 'host'] });
    expect(readFileSync(join(root, 'a.jsonc'), 'utf8')).toBe('{ a: 1 }');
  });

  const REFUSED = [
    ['a file that is closed', (path: string) => writeFileSync(path, '{}', { mode: 0o444 }), 'FS_WRITE_FAILED'],
    ['a broken file', (path: string) => writeFileSync(path, '{ tools: '), 'CONFIG_SYNTAX'],
    ['a scalar where an object should be', (path: string) => writeFileSync(path, '{ tools: 5 }'), 'CONFIG_INVALID'],
    ['a folder', (path: string) => mkdirSync(path), 'OC_PATH_FILE_NOT_REGULAR'],
    ['a link to nothing', (path: string) => symlinkSync('/nowhere/at/all', path), 'FS_WRITE_FAILED'],
  ] as const;
  it.each(REFUSED)('refuses to change %s', async (_, make, code) => {
    const root = makeFolder();
    const path = join(root, 'pincer.jsonc');
    make(path);
    await expect(change(root, path, HOST, { newFile: { text: '{\n}\n' } })).rejects.toMatchObject({ code });
  });
});
