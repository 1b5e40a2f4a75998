import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isBuilt } from '../../scripts/built.mjs';
import { processorSeconds } from '../../scripts/processor-time.mjs';
import { timesReport } from '../../scripts/times.mjs';
import { makeFolder } from '../support/folder.ts';

describe('the report of times', () => {
  it('has steps with their sum, folders and files, the slowest first', () => {
    const steps = [
      { name: 'build', wall: 6.04, processor: 9 },
      { name: 'tests', wall: 10, processor: 20 },
    ];
    const files = [
      { name: 'tests/text/edit/a.test.ts', tests: 2, wall: 1, processor: 1.5 },
      { name: 'tests/text/edit/deep/b.test.ts', tests: 3, wall: 2, processor: undefined },
      { name: 'tests/house.test.ts', tests: 1, wall: 4, processor: 0.25 },
    ];
    expect(timesReport(steps, files)).toBe(
      [
        'Steps       tests      wall s processor s',
        'build           -         6.0         9.0',
        'tests           -        10.0        20.0',
        'whole           -        16.0        29.0',
        '',
        'Folders of tests       tests      wall s processor s',
        'tests                      1         4.0         0.3',
        'tests/text/edit            5         3.0         1.5',
        '',
        'Slowest 3 test files                 tests      wall s processor s',
        'tests/house.test.ts                      1         4.0         0.3',
        'tests/text/edit/deep/b.test.ts           3         2.0           -',
        'tests/text/edit/a.test.ts                2         1.0         1.5',
        '',
      ].join('\n'),
    );
  });
});

describe('processor time', () => {
  it.skipIf(process.platform !== 'linux')('includes that of children that have ended', () => {
    const before = processorSeconds()!;
    const child = spawnSync(process.execPath, ['-e', 'while (process.cpuUsage().user < 3e5);']);
    expect(child.status).toBe(0);
    expect(processorSeconds()! - before).toBeGreaterThanOrEqual(0.3);
  });
});

describe('whether the program is built', () => {
  const at = (path: string, seconds: number) => utimesSync(path, seconds, seconds);

  function project(): string {
    const files = ['src/a.ts', 'package.json', 'package-lock.json', 'scripts/build.mjs', 'dist/pincer.cjs'];
    const folder = makeFolder(Object.fromEntries(files.map((file) => [file, ''])));
    mkdirSync(join(folder, 'src/text'), { recursive: true });
    for (const file of [...files, 'src', 'src/text', 'scripts']) at(join(folder, file), 1000);
    at(join(folder, 'dist/pincer.cjs'), 2000);
    return folder;
  }

  it('is told by times', () => {
    expect(isBuilt(project())).toBe(true);
  });

  it.each<[string, (folder: string) => void]>([
    ['nothing was built', (folder) => rmSync(join(folder, 'dist'), { recursive: true })],
    ['a source is newer', (folder) => at(join(folder, 'src/a.ts'), 3000)],
    ['a source is new', (folder) => writeFileSync(join(folder, 'src/text/b.ts'), '')],
    ['a source is gone', (folder) => rmSync(join(folder, 'src/a.ts'))],
    ['the build is newer', (folder) => at(join(folder, 'scripts/build.mjs'), 3000)],
    ['settings of the compiler are newer', (folder) => writeFileSync(join(folder, 'tsconfig.json'), '')],
  ])('is no when %s', (_, change) => {
    const folder = project();
    change(folder);
    expect(isBuilt(folder)).toBe(false);
  });
});
