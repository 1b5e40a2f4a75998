import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changeConfigFile } from '../../src/config/edit/change.ts';
import { undoSettings } from '../../src/config/edit/undo.ts';
import { localFiles } from '../../src/hosts/files/files.ts';
import { makeFolder } from '../support/folder.ts';

/** Two files of settings with one state folder. */
function settings() {
  const root = makeFolder({ 'user.jsonc': '{ a: 1 }\n', 'real/project.jsonc': '{ b: 1 }\n' });
  const [user, project] = [join(root, 'user.jsonc'), join(root, 'pincer.jsonc')];
  symlinkSync('real/project.jsonc', project);
  const place = { stateDir: join(root, 'state'), cwd: root, agent: 'main' };
  const set = (path: string, name: string, value: number, newFile?: { text: string }) =>
    changeConfigFile({
      ...place,
      path,
      edits: [() => ({ verb: 'set', at: [name], value })],
      ...(newFile === undefined ? {} : { newFile }),
    });
  const undo = (steps: number, ...paths: readonly string[]) => undoSettings({ ...place, paths, steps });
  const texts = () => [user, project].map((path) => readFileSync(path, 'utf8'));
  return { root, user, project, place, set, undo, texts };
}

describe('undoing changes of settings', () => {
  it('undoes several changes in several files, through symlinks', async () => {
    const { user, project, set, undo, texts } = settings();
    await set(user, 'a', 2);
    await set(project, 'b', 2);
    await set(user, 'a', 3);
    expect(await undo(3, user, project)).toMatchObject({ ok: true, changes: [{ client: 'you' }, {}, {}] });
    expect(texts()).toEqual(['{ a: 1 }\n', '{ b: 1 }\n']);
    expect(await undo(1, user, project)).toMatchObject({ ok: false, reason: 'nothing-to-do' });
  });

  it('undoes all of them or none', async () => {
    const { user, project, set, undo, texts } = settings();
    await set(user, 'a', 2);
    await set(project, 'b', 2);
    writeFileSync(user, '{ a: 9 }\n');
    expect(await undo(2, user, project)).toMatchObject({ ok: false, reason: 'changed-since' });
    expect(texts()).toEqual(['{ a: 9 }\n', '{ b: 2 }\n']);
    expect(await undo(1, project)).toMatchObject({ ok: true });
  });

  it('changes only the named files, and removes a file that the change created', async () => {
    const { root, user, set, undo } = settings();
    const other = join(root, 'other.jsonc');
    await set(other, 'c', 1, { text: '{}' });
    await set(user, 'a', 2);
    expect(await undo(1, other)).toMatchObject({ ok: true, changes: [{ files: [{ action: 'add', path: other }] }] });
    expect([existsSync(other), readFileSync(user, 'utf8')]).toEqual([false, '{ a: 2 }\n']);
  });

  it('B4: the undo of a workspace never finds a setting', async () => {
    const { root, user, place, set } = settings();
    await set(user, 'a', 2);
    const author = { agent: 'main', client: 'you' };
    const changes = await localFiles({ cwd: root, stateDir: place.stateDir, author }).changes();
    expect(changes.list()).toEqual([]);
    expect(changes.undo(undefined, { operator: true })).toMatchObject({ ok: false, reason: 'nothing-to-do' });
  });
});
