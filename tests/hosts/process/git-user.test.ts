import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLookup } from '../../../src/hosts/process/programs/which.ts';
import { makeFolder } from '../../support/folder.ts';
import { ripened } from '../../support/patience.ts';

const BEFORE = '[test]\n\tvalue = before\n';
/** Of the same size. */
const AFTER = '[test]\n\tvalue = behind\n';

/** The settings that the next judgement in this home would see. */
function seenBy(home: string) {
  const { settings } = createLookup({ path: '/usr/bin', cwd: home, env: { HOME: home } }).gitUser();
  return settings.filter(({ name }) => name.startsWith('test.'));
}
const valuesSeen = (home: string) => seenBy(home).map(({ value }) => value);

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

describe("the user's git settings", () => {
  it.each<[string, (home: string) => void]>([
    ['rewritten with the same size', (home) => write(join(home, '.gitconfig'), AFTER)],
    [
      'rewritten with the same size and modification time',
      (home) => {
        const { atime, mtime } = statSync(join(home, '.gitconfig'));
        write(join(home, '.gitconfig'), AFTER);
        utimesSync(join(home, '.gitconfig'), atime, mtime);
      },
    ],
    [
      'replaced by another file of the same size',
      (home) => {
        write(join(home, 'new'), AFTER);
        renameSync(join(home, 'new'), join(home, '.gitconfig'));
      },
    ],
    [
      'replaced by a symlink',
      (home) => {
        write(join(home, 'new'), AFTER);
        rmSync(join(home, '.gitconfig'));
        symlinkSync('new', join(home, '.gitconfig'));
      },
    ],
  ])('are read again when the file is %s', async (_, change) => {
    const home = makeFolder({ '.gitconfig': BEFORE });
    await ripened(join(home, '.gitconfig'));
    expect(valuesSeen(home)).toEqual(['before']);
    change(home);
    expect(valuesSeen(home)).toEqual(['behind']);
  });

  it('are read again when an included file is changed, removed or created', async () => {
    const home = makeFolder({ '.gitconfig': '[include]\n\tpath = more\n\tpath = absent\n', more: BEFORE });
    await ripened(join(home, 'more'));
    expect(valuesSeen(home)).toEqual(['before']);
    write(join(home, 'more'), AFTER);
    expect(valuesSeen(home)).toEqual(['behind']);
    rmSync(join(home, 'more'));
    expect(valuesSeen(home)).toEqual([]);
    write(join(home, 'absent'), BEFORE);
    expect(valuesSeen(home)).toEqual(['before']);
  });

  it('are read from a file that did not exist before', () => {
    const home = makeFolder();
    expect(valuesSeen(home)).toEqual([]);
    write(join(home, '.config/git/config'), BEFORE);
    expect(valuesSeen(home)).toEqual(['before']);
    write(join(home, '.gitconfig'), AFTER);
    expect(valuesSeen(home)).toEqual(['before', 'behind']);
  });

  it('are read every time while a second change could leave the same times', () => {
    const home = makeFolder({ '.gitconfig': BEFORE });
    const tomorrow = Date.now() / 1000 + 86_400;
    utimesSync(join(home, '.gitconfig'), tomorrow, tomorrow);
    expect(seenBy(home)[0]).not.toBe(seenBy(home)[0]);
  });

  it('are not parsed again while the file is unchanged', async () => {
    const home = makeFolder({ '.gitconfig': BEFORE });
    await ripened(join(home, '.gitconfig'));
    expect(seenBy(home)[0]).toBe(seenBy(home)[0]);
  });

  it('are complete when there are more files than the cache keeps', async () => {
    const names = Array.from({ length: 60 }, (_, i) => `included${i}`);
    const files = Object.fromEntries(names.map((name) => [name, `[test]\n\tvalue = ${name}\n`]));
    const home = makeFolder({
      '.gitconfig': `[include]\n${names.map((name) => `path = ${name}\n`).join('')}`,
      ...files,
    });
    await ripened(join(home, names.at(-1)!));
    expect(valuesSeen(home)).toEqual(names);
    expect(valuesSeen(home)).toEqual(names);
  });
});
