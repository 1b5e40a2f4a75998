import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import { append } from '../../../src/hosts/files/write/append.ts';
import { localFiles } from '../../../src/hosts/files/files.ts';
import { locate } from '../../support/locate.ts';
import { openFile } from '../../../src/hosts/files/gate/open.ts';
import { replace } from '../../../src/hosts/files/write/replace.ts';
import type { Files, FileWriter } from '../../../src/hosts/files/shape.ts';
import { runs } from '../../support/budget.ts';
import { makeFolder } from '../../support/folder.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { fixtureProgram } from '../../support/program.ts';

const writer = fixtureProgram('file-writer');
const TRIES = runs(3000, 100_000);

/** What `work` gives, or the code of its fault; anything else is thrown on. */
function outcome(work: () => string): string {
  try {
    return work();
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

function readThrough(files: Files, path: string): string {
  const open = files.openPath(path);
  try {
    return new TextDecoder().decode(open.readAll()).slice(0, 6);
  } finally {
    open.close();
  }
}

/** Makes a file with a folder of its own, moves it, and removes it. */
function comeAndGo(files: Files, writer: FileWriter, name: string): string {
  const bytes = new TextEncoder().encode('inside');
  writer.commit([{ file: files.placeOf(`${name}/made`).file, create: bytes }]);
  const made = files.placeOf(`${name}/made`);
  if (made.stamp === undefined) return 'inside';
  writer.commit([{ file: made.file, stamp: made.stamp, moveTo: files.placeOf(`${name}/moved`).file }]);
  const moved = files.placeOf(`${name}/moved`);
  if (moved.stamp !== undefined) writer.commit([{ file: moved.file, stamp: moved.stamp, remove: true }]);
  return 'inside';
}

it('nothing outside is read or written while a folder and a link to outside are swapped repeatedly', async () => {
  const top = makeFolder({ 'ws/d/f.txt': 'inside' });
  const ws = join(top, 'ws');
  const stateDir = join(top, 'state');
  const outside = join(top, 'out');
  mkdirSync(outside);
  writeFileSync(join(outside, 'f.txt'), 'secret');
  symlinkSync(outside, join(ws, 'd.link'));
  const files = localFiles({ cwd: ws, stateDir, durable: false });
  const hands = await files.writer('test');
  const swapper = await writer.start('swap', join(ws, 'd'), '');
  const counts = new Map<string, number>();
  const begun = Date.now();
  // The race goes on until both sides of the swap were met: how soon that is, the scheduler decides.
  const isOver = (tries: number): boolean => {
    if (tries < TRIES) return false;
    const hasMetBoth = counts.has('inside') && counts.has('FS_OUTSIDE_WORKSPACE');
    return hasMetBoth || Date.now() - begun > PATIENCE_MS;
  };
  const ended = once(swapper, 'exit');
  try {
    for (let i = 0; !isOver(i); i++) {
      const result = outcome(() => {
        if (i % 4 === 3) return comeAndGo(files, hands, `d/n${i}`);
        if (i % 2 === 0) return readThrough(files, 'd/f.txt');
        const file = locate(ws, 'd/f.txt');
        if (i % 8 === 1) append(file, { line: new Uint8Array([46]), eol: '\n' }, { stateDir });
        const open = openFile(file);
        try {
          if (i % 8 === 2) replace(open, [{ start: 0, end: open.size, bytes: Buffer.from('inside') }], { stateDir });
          return new TextDecoder().decode(open.readAll()).slice(0, 6);
        } finally {
          open.close();
        }
      });
      counts.set(result, (counts.get(result) ?? 0) + 1);
    }
  } finally {
    swapper.kill('SIGKILL');
    await ended; // what it still moves could not be removed
  }
  const allowed = ['FS_CHANGED', 'FS_EXISTS', 'FS_NOT_FOLDER', 'FS_NOT_FOUND', 'FS_OUTSIDE_WORKSPACE', 'inside'];
  expect([...counts.keys()].filter((result) => !allowed.includes(result))).toEqual([]);
  expect([...counts.keys()]).toEqual(expect.arrayContaining(['FS_OUTSIDE_WORKSPACE', 'inside']));
  expect([readFileSync(join(outside, 'f.txt'), 'utf8'), readdirSync(outside)]).toEqual(['secret', ['f.txt']]);
});
