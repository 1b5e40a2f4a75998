import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { cachedOutsideOf } from '../../../src/hosts/obeyed/git/config-files.ts';
import { BoundedReader } from '../../../src/hosts/obeyed/reading.ts';
import { createLookup } from '../../../src/hosts/process/programs/which.ts';
import { makeFolder } from '../../support/folder.ts';
import { ripened } from '../../support/patience.ts';

const BEFORE = '[test]\n\tvalue = before\n';
/** A workspace that has none of these files. */
const elsewhere = '/usr/bin';
/** Of the same size. */
const AFTER = '[test]\n\tvalue = behind\n';

/** The settings that the next judgement with this home would see. */
function seenBy(home: string, workspace = elsewhere) {
  const { settings } = createLookup({ path: '/usr/bin', cwd: home, workspace, env: { HOME: home } }).gitUser();
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

  it.each<[string, (home: string) => string]>([
    ['in the workspace', (home) => home],
    [
      'that is a symlink into the workspace',
      (home) => {
        const workspace = join(home, 'ws');
        write(join(workspace, 'dotfiles'), BEFORE);
        rmSync(join(home, '.gitconfig'));
        symlinkSync('ws/dotfiles', join(home, '.gitconfig'));
        return workspace;
      },
    ],
  ])('are read every time from a file %s, which a command may map into its memory', async (_, workspaceIn) => {
    const home = makeFolder({ '.gitconfig': BEFORE });
    const workspace = workspaceIn(home);
    await ripened(join(home, '.gitconfig'));
    expect(seenBy(home, workspace)).toEqual(seenBy(home, workspace));
    expect(seenBy(home, workspace)[0]).not.toBe(seenBy(home, workspace)[0]);
  });

  it('are read every time from an included file', async () => {
    const home = makeFolder({ '.gitconfig': '[include]\n\tpath = more\n', more: BEFORE });
    await ripened(join(home, 'more'));
    expect(valuesSeen(home)).toEqual(['before']);
    expect(seenBy(home)[0]).not.toBe(seenBy(home)[0]);
  });

  it('are read again when the first read began too soon after a change', () => {
    const home = makeFolder({ '.gitconfig': BEFORE });
    vi.useFakeTimers({ toFake: ['Date'], now: statSync(join(home, '.gitconfig')).ctimeMs });
    onTestFinished(() => void vi.useRealTimers());
    let reads = 0;
    class SlowReader extends BoundedReader {
      override read(...given: Parameters<BoundedReader['read']>): ReturnType<BoundedReader['read']> {
        reads++;
        const bytes = super.read(...given);
        vi.setSystemTime(Date.now() + 1000);
        return bytes;
      }
    }
    const read = cachedOutsideOf(elsewhere);
    for (let i = 0; i < 2; i++) read(join(home, '.gitconfig'), new SlowReader({ bytes: 1000, names: 0 }));
    expect(reads).toBe(2);
  });

  it('are complete when there are more files than the cache keeps', async () => {
    const homes = Array.from({ length: 60 }, (_, i) => makeFolder({ '.gitconfig': `[test]\n\tvalue = ${i}\n` }));
    await ripened(join(homes.at(-1)!, '.gitconfig'));
    const expected = homes.map((_, i) => [String(i)]);
    expect(homes.map((home) => valuesSeen(home))).toEqual(expected);
    expect(homes.map((home) => valuesSeen(home))).toEqual(expected);
  });
});
