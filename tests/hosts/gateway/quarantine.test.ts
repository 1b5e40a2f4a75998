import { execFileSync } from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { localFiles } from '../../../src/hosts/files/files.ts';
import {
  QUARANTINE_BOUNDS,
  type QuarantineBounds,
  removeNewFiles,
} from '../../../src/hosts/gateway/obeyed/quarantine.ts';
import { restore } from '../../../src/hosts/gateway/obeyed/restore.ts';
import { takeFingerprint } from '../../../src/hosts/obeyed/take-fingerprint.ts';
import { makeFolder } from '../../support/folder.ts';

/** A workspace, with what a look sees in it now. */
async function looked(files: Readonly<Record<string, string>>) {
  const workspace = makeFolder(files);
  const stateDir = makeFolder();
  const recorded = { workspace, stateDir, actor: { agent: 'main' } };
  const { entries } = await takeFingerprint(workspace);
  const look = {
    identityOf: (path: string) => entries.get(path)?.identity,
    seen: () => entries.keys(),
    whyGuarded: () => undefined,
    whyOperators: (path: string) => (path.startsWith('guarded/') ? 'guarded' : undefined),
    contentOf: () => ({ kind: 'file' as const, bytes: Buffer.from('before'), mode: 0o644 }),
  };
  const at = (path: string): string => join(workspace, path);
  const take = async (paths: readonly string[], bounds: Partial<QuarantineBounds> = {}) =>
    Object.fromEntries(
      [...(await removeNewFiles(paths, recorded, look, { ...QUARANTINE_BOUNDS, ...bounds }))].map(
        ([path, { why, isPart }]) => [path, isPart === true ? `part: ${why}` : why],
      ),
    );
  return { workspace, stateDir, recorded, look, at, take };
}

it('F4-4: follows no link that was put in the place of a folder, and takes no other file than the one that was seen', async () => {
  const { at, take, recorded, look } = await looked({
    'operators/.envrc': 'mine',
    'swapped/.envrc': 'evil',
    'other/.envrc': 'evil',
    'guarded/.envrc': '',
    'taken/.envrc': 'evil',
    'gone/.envrc': 'evil',
  });
  rmSync(at('gone'), { recursive: true });
  renameSync(at('swapped'), at('away'));
  symlinkSync('operators', at('swapped'));
  writeFileSync(at('replacement'), 'of the operator');
  renameSync(at('replacement'), at('other/.envrc'));
  const replaced = 'it was replaced after it was found';
  expect(await take(['swapped/.envrc', 'other/.envrc', 'guarded/.envrc', 'taken/.envrc', 'gone/.envrc'])).toEqual({
    'swapped/.envrc': replaced,
    'other/.envrc': replaced,
    'guarded/.envrc': 'guarded',
    'gone/.envrc': 'it is already gone',
  });
  expect(existsSync(at('taken/.envrc'))).toBe(false);
  expect([await restore('swapped/.envrc', recorded, look), await restore('other/.envrc', recorded, look)]).toEqual([
    { why: replaced },
    { why: replaced },
  ]);
  expect(readFileSync(at('operators/.envrc'), 'utf8')).toBe('mine');
  expect(readFileSync(at('other/.envrc'), 'utf8')).toBe('of the operator');
});

it('R3-7: keeps what the record of changes could not restore, and removes the rest that the scan saw', async () => {
  const { at, take, workspace, stateDir } = await looked({ '.hg/hgrc': 'evil', '.hg/long': '', '.husky/a': 'evil' });
  truncateSync(at('.hg/long'), 17 << 20);
  writeFileSync(at('.hg/later'), 'not seen');
  expect(await take(['.hg', '.husky'])).toEqual({ '.hg': 'part: ".hg/long" has more than 16 MB' });
  const there = ['.hg/hgrc', '.hg/long', '.hg/later', '.husky'].map((path) => existsSync(at(path)));
  expect(there).toEqual([false, true, true, false]);
  const changes = await localFiles({ cwd: workspace, stateDir, protect: 'none' }).changes();
  const ids = changes.list().map(({ id }) => id);
  expect([ids.length, changes.undo(ids, { operator: true }).ok]).toEqual([2, true]);
  expect(['.hg/hgrc', '.husky/a'].map((path) => readFileSync(at(path), 'utf8'))).toEqual(['evil', 'evil']);
});

it('takes what the look saw beside a pipe, whatever was put there since', async () => {
  const files = { '.vscode/tasks.json': 'evil', '.vscode/sub/x.json': 'evil', '.vscode/swapped.json': 'evil' };
  const { at, take } = await looked(files);
  execFileSync('mkfifo', [at('.vscode/p')]);
  symlinkSync('tasks.json', at('.vscode/later'));
  writeFileSync(at('replacement'), 'of the operator');
  renameSync(at('replacement'), at('.vscode/swapped.json'));
  expect(await take(['.vscode'])).toEqual({ '.vscode': expect.stringMatching(/^part: /u) as string });
  expect(readdirSync(at('.vscode')).sort()).toEqual(['later', 'p', 'swapped.json']);
});

it('reports a partial removal where a folder with a pipe replaces a file to restore', async () => {
  const { at, recorded, look } = await looked({ '.gitattributes/x': 'evil' });
  execFileSync('mkfifo', [at('.gitattributes/p')]);
  expect(await restore('.gitattributes', recorded, look)).toMatchObject({ isPart: true });
  expect(readdirSync(at('.gitattributes'))).toEqual(['p']);
});

it('takes what the look saw where there are too many other files, and the short files first', async () => {
  const { at, take } = await looked({ '.vscode/a': 'x'.repeat(90), '.vscode/tasks.json': 'evil', '.hg/hgrc': 'evil' });
  for (let i = 0; i < 50; i++) writeFileSync(at(`.hg/${i}`), '');
  expect(await take(['.hg', '.vscode'], { files: 20, bytes: 90 })).toEqual({
    '.hg': 'part: it has more than 20 entries',
    '.vscode': 'part: the new files have more than 0 MB',
  });
  expect(['.hg/hgrc', '.vscode/tasks.json', '.vscode/a'].map((path) => existsSync(at(path)))).toEqual([
    false,
    false,
    true,
  ]);
});

it('takes the other files of a path where one is changed meanwhile, and undoes no change of another author', async () => {
  const names = Array.from({ length: 40 }, (_, i) => `.hg/${i}`);
  const { at, recorded, look } = await looked(Object.fromEntries(names.map((name) => [name, 'evil'])));
  const files = localFiles({ cwd: recorded.workspace, stateDir: recorded.stateDir, protect: 'none' });
  const writer = await files.writer('write');
  const asked: string[] = [];
  const identityOf = (path: string): string | undefined => {
    if (asked.push(path) === names.length + 2) {
      const { file, stamp } = files.placeOf(asked.at(-2) ?? '', 'itself');
      writer.commit([{ file, stamp: stamp!, edit: { splices: [{ start: 0, end: 4, bytes: Buffer.from('theirs') }] } }]);
    }
    return look.identityOf(path);
  };
  const left = await removeNewFiles(['.hg'], recorded, { ...look, identityOf });
  expect(left.get('.hg')?.isPart).toBe(true);
  const there = names.filter((name) => existsSync(at(name)));
  expect(there.map((name) => readFileSync(at(name), 'utf8'))).toEqual(['theirs']);
});

it('R3-12: stops at the limit of files, bytes or time, and reports that', async () => {
  const names = Array.from({ length: 100 }, (_, i) => `d${i}/.envrc`);
  const { at, take } = await looked(Object.fromEntries(names.map((name) => [name, 'evil'])));
  const left = (): string[] => names.filter((name) => existsSync(at(name)));
  expect(new Set(Object.values(await take(names, { ms: -1 })))).toEqual(
    new Set(['removing new files took longer than -0.001 s']),
  );
  expect(Object.keys(await take(names, { bytes: 40 }))).toHaveLength(90);
  expect(left()).toHaveLength(90);
  expect(Object.keys(await take(left(), { files: 20 }))).toHaveLength(70);
  expect(await take(left())).toEqual({});
  expect(left()).toEqual([]);
});

it('R3-12: does not remove what is nested too deeply', async () => {
  const deep = (levels: number): string => `.hg/${'a/'.repeat(levels)}x`;
  const { at, take } = await looked({ [deep(60)]: '', [deep(100)]: '' });
  expect(await take(['.hg'])).toEqual({ '.hg': 'part: it is more than 64 folders deep' });
  expect([deep(60), deep(100)].map((path) => existsSync(at(path)))).toEqual([false, true]);
});
