/** What all `Files` hold, whatever is wrapped around them. */
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import type { Files } from '../../src/hosts/files/shape.ts';
import { makeFolder } from '../support/folder.ts';

/** Files of a workspace, with the workspace as the boundary. */
export type MakeFiles = (workspace: string, stateDir: string) => Files;

const bytes = (text: string): Uint8Array => Buffer.from(text);
const text = (content: Uint8Array): string => Buffer.from(content).toString();

interface Ground {
  readonly files: Files;
  readonly folder: string;
  readonly write: (name: string, content: string) => void;
  readonly read: (name: string) => string;
}

export function filesLaws(name: string, make: MakeFiles): void {
  describe(`files: ${name}`, () => {
    const ground = (): Ground => {
      const root = makeFolder();
      const folder = join(root, 'work');
      mkdirSync(join(folder, 'sub'), { recursive: true });
      writeFileSync(join(root, 'secret'), 'outside\n');
      return {
        files: make(folder, join(root, 'state')),
        folder,
        write: (path, content) => writeFileSync(join(folder, path), content),
        read: (path) => readFileSync(join(folder, path), 'utf8'),
      };
    };

    test('opens a file by its path from the workspace and by its absolute path', () => {
      const { files, folder, write } = ground();
      write('sub/a.txt', 'hello');
      for (const path of ['sub/a.txt', './sub/../sub/a.txt', join(folder, 'sub/a.txt')]) {
        const file = files.openPath(path);
        expect({ text: text(file.readAll()), size: file.size, name: files.nameOf(file.located) }).toEqual({
          text: 'hello',
          size: 5,
          name: 'sub/a.txt',
        });
        file.close();
      }
    });

    test.each([
      ['../secret', 'FS_OUTSIDE_WORKSPACE'],
      ['out', 'FS_OUTSIDE_WORKSPACE'],
      ['missing', 'FS_NOT_FOUND'],
      ['sub', 'FS_IS_FOLDER'],
      ['a\0b', 'FS_NAME_NUL'],
    ])('refuses to open %j with %s', (path, code) => {
      const { files, folder } = ground();
      symlinkSync('../secret', join(folder, 'out'));
      expect(codeOf(() => files.openPath(path))).toBe(code);
    });

    test('reports what is at a path, and follows a symlink only on request', () => {
      const { files, folder, write } = ground();
      write('a.txt', 'x');
      symlinkSync('a.txt', join(folder, 'link'));
      const kinds = ['a.txt', 'sub', 'link', 'nothing/here'].map((path) => files.placeOf(path).stands);
      expect(kinds).toEqual(['file', 'folder', 'file', 'nothing']);
      expect(files.placeOf('link', 'itself')).toMatchObject({ stands: 'link', link: 'a.txt' });
    });

    test('lists a folder in order, with a slash after folders', () => {
      const { files, write } = ground();
      write('b', '');
      write('a', '');
      expect(files.list('.')).toEqual(['a', 'b', 'sub/']);
    });

    test('replaces bytes and leaves all others, the mode and the folder as they are', async () => {
      const { files, folder, write, read } = ground();
      write('a.txt', 'one two three');
      const mode = statSync(join(folder, 'a.txt')).mode;
      const file = files.openPath('a.txt');
      const writer = await files.writer('edit');
      const written = writer.exclusively([file.located], () =>
        writer.replace(file, [{ start: 4, end: 7, bytes: bytes('2') }]),
      );
      file.close();
      expect(written).toMatchObject({ size: 11, changed: true });
      expect({ text: read('a.txt'), mode: statSync(join(folder, 'a.txt')).mode }).toEqual({
        text: 'one 2 three',
        mode,
      });
      expect(readdirSync(folder).sort()).toEqual(['a.txt', 'sub']);
    });

    test('refuses a write when the file is not as it was read', async () => {
      const { files, write, read } = ground();
      write('a.txt', 'one');
      const file = files.openPath('a.txt');
      write('a.txt', 'longer than before');
      const writer = await files.writer('edit');
      const replace = () =>
        writer.exclusively([file.located], () => writer.replace(file, [{ start: 0, end: 3, bytes: bytes('two') }]));
      expect(codeOf(replace)).toBe('FS_CHANGED');
      file.close();
      expect(read('a.txt')).toBe('longer than before');
    });

    test('commits all changes of a batch or none', async () => {
      const { files, folder, write, read } = ground();
      write('a.txt', 'a');
      write('taken', 'here already');
      const [a, fresh, taken] = ['a.txt', 'new/b.txt', 'taken'].map((path) => files.placeOf(path));
      const writer = await files.writer('apply_patch');
      const change = { file: a!.file, stamp: a!.stamp!, edit: { splices: [{ start: 0, end: 1, bytes: bytes('A') }] } };
      const all = [a!.file, fresh!.file, taken!.file];
      const conflicting = () =>
        writer.exclusively(all, () =>
          writer.commit([change, { file: fresh!.file, create: bytes('b') }, { file: taken!.file, create: bytes('c') }]),
        );
      expect(codeOf(conflicting)).toBe('FS_EXISTS');
      expect([read('a.txt'), read('taken'), readdirSync(folder).sort()]).toEqual([
        'a',
        'here already',
        ['a.txt', 'sub', 'taken'],
      ]);
      writer.exclusively(all, () => writer.commit([change, { file: fresh!.file, create: bytes('b') }]));
      expect([read('a.txt'), read('new/b.txt')]).toEqual(['A', 'b']);
      expect(files.hasLeftovers()).toBe(false);
    });

    test('refuses to write what git obeys', async () => {
      const { files, folder } = ground();
      mkdirSync(join(folder, '.git'));
      const { file } = files.placeOf('.git/config');
      const writer = await files.writer('write');
      const create = () => writer.exclusively([file], () => writer.commit([{ file, create: bytes('[core]') }]));
      expect(codeOf(create)).toBe('FS_PROTECTED');
      expect(readdirSync(join(folder, '.git'))).toEqual([]);
    });

    test('hashes bytes and open files alike', () => {
      const { files, write } = ground();
      write('a.txt', 'hello');
      const file = files.openPath('a.txt');
      expect(files.hashOf(file)).toBe(files.hashOf(bytes('hello')));
      file.close();
    });
  });
}

function codeOf(work: () => unknown): string {
  try {
    work();
    return 'no fault';
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.code;
  }
}
