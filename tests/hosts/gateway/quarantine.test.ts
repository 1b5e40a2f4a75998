import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { localFiles } from '../../../src/hosts/files/files.ts';
import { QUARANTINE_BOUNDS, type QuarantineBounds, takeAway } from '../../../src/hosts/gateway/obeyed/quarantine.ts';
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
    whyGuarded: () => undefined,
    whyOperators: (path: string) => (path.startsWith('guarded/') ? 'guarded' : undefined),
    contentOf: () => ({ kind: 'file' as const, bytes: Buffer.from('before'), mode: 0o644 }),
  };
  const at = (path: string): string => join(workspace, path);
  const take = async (paths: readonly string[], bounds: Partial<QuarantineBounds> = {}) =>
    Object.fromEntries(
      [...(await takeAway(paths, recorded, look, { ...QUARANTINE_BOUNDS, ...bounds }))].map(([path, { why }]) => [
        path,
        why,
      ]),
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
    replaced,
    replaced,
  ]);
  expect(readFileSync(at('operators/.envrc'), 'utf8')).toBe('mine');
  expect(readFileSync(at('other/.envrc'), 'utf8')).toBe('of the operator');
});

it('R3-7: leaves a path as a whole where the record of changes could not bring all of it back', async () => {
  const { at, take, workspace, stateDir } = await looked({ '.hg/hgrc': 'evil', '.hg/long': '', '.husky/a': 'evil' });
  truncateSync(at('.hg/long'), 17 << 20);
  expect(await take(['.hg', '.husky'])).toEqual({ '.hg': '".hg/long" has more than 16 MB' });
  expect(['.hg/hgrc', '.hg/long', '.husky'].map((path) => existsSync(at(path)))).toEqual([true, true, false]);
  const changes = await localFiles({ cwd: workspace, stateDir, protect: 'none' }).changes();
  const ids = changes.list().map(({ id }) => id);
  expect([ids.length, changes.undo(ids, { operator: true }).ok]).toEqual([1, true]);
  expect(readFileSync(at('.husky/a'), 'utf8')).toBe('evil');
});

it('R3-12: stops at a bound of files, bytes or time, and says so', async () => {
  const names = Array.from({ length: 100 }, (_, i) => `d${i}/.envrc`);
  const { at, take } = await looked(Object.fromEntries(names.map((name) => [name, 'evil'])));
  const left = (): string[] => names.filter((name) => existsSync(at(name)));
  expect(new Set(Object.values(await take(names, { ms: -1 })))).toEqual(
    new Set(['taking away what is new took longer than -0.001 s']),
  );
  expect(Object.keys(await take(names, { bytes: 40 }))).toHaveLength(90);
  expect(left()).toHaveLength(90);
  expect(Object.keys(await take(left(), { files: 20 }))).toHaveLength(70);
  expect(await take(left())).toEqual({});
  expect(left()).toEqual([]);
});

it('R3-12: leaves a path with something that is too deep', async () => {
  const deep = (levels: number): string => `.hg/${'a/'.repeat(levels)}x`;
  const { at, take } = await looked({ [deep(60)]: '', [deep(100)]: '' });
  expect(await take(['.hg'])).toEqual({ '.hg': 'it is more than 64 folders deep' });
  expect([deep(60), deep(100)].map((path) => existsSync(at(path)))).toEqual([true, true]);
});
