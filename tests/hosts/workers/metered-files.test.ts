import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localFiles } from '../../../src/hosts/files/files.ts';
import type { Files } from '../../../src/hosts/files/shape.ts';
import { Meter, NeedsWorker } from '../../../src/hosts/workers/meter.ts';
import { meteredFiles, sharedFiles } from '../../../src/hosts/workers/metered-files.ts';
import { pathTool } from '../../../src/tools/path.ts';

let folder: string;
let files: Files;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-metered-')));
  mkdirSync(join(folder, 'work'));
  files = localFiles({ cwd: join(folder, 'work'), stateDir: join(folder, 'state'), hardLinks: 'refuse' });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, 'work', name), text);
const shared = (whole: number, windows = 1 << 20, names = 10): Files =>
  sharedFiles(files, new Meter({ whole, windows, work: 0, names }));

describe('metered files', () => {
  it('counts all files of a call together', () => {
    for (const name of ['a', 'b', 'c']) write(name, 'x'.repeat(40));
    const counted = shared(100);
    const read = (name: string): number => counted.openPath(name).readAll().length;
    expect([read('a'), read('b')]).toEqual([40, 40]);
    expect(() => read('c')).toThrow(NeedsWorker);
  });

  it('counts windows separately from whole files', () => {
    write('a', 'x'.repeat(1000));
    const counted = shared(0, 500);
    const file = counted.openSlot('a');
    expect(file.read(0, new Uint8Array(400))).toBe(400);
    expect(() => file.read(400, new Uint8Array(400))).toThrow(NeedsWorker);
  });

  it.runIf(process.platform === 'linux')('reads an empty file, and not one of unknown size', () => {
    write('empty', '');
    expect(shared(0).openPath('empty').readAll()).toHaveLength(0);
    const counted = shared(1 << 20);
    const status = counted.open(counted.locateOperator('/proc/self/status'));
    expect(() => status.readAll()).toThrow(NeedsWorker);
  });

  it('does not change a file when that needs a worker, and changes it otherwise', async () => {
    write('a.yaml', 'x: 1\ny: 2\n');
    const set = (counted: Files) =>
      pathTool.run({ verb: 'set', path: 'oc://a.yaml/x', value: '3' }, { files: counted });
    await expect(set(shared(5))).rejects.toThrow(NeedsWorker);
    expect(readFileSync(join(folder, 'work', 'a.yaml'), 'utf8')).toBe('x: 1\ny: 2\n');
    expect((await set(shared(100))).isError).toBeUndefined();
    expect(readFileSync(join(folder, 'work', 'a.yaml'), 'utf8')).toBe('x: 3\ny: 2\n');
  });

  it('checks the files and folders of a batch before it locks or writes one', async () => {
    const counted = shared(100, 100, 3);
    const writer = await counted.writer('test');
    const place = (path: string) => counted.placeOf(path).file;
    const create = (path: string) => ({ file: place(path), create: new Uint8Array() });
    const refused = [
      () => writer.exclusively([place('a/b'), place('c/d')], () => expect.unreachable()),
      () => writer.refuseProtected([place('a/b/c/d')]),
      () => writer.commit([create('a'), create('b'), create('c'), create('d')]),
      () => writer.commit([create('a/b/c/d')]),
    ];
    for (const attempt of refused) expect(attempt).toThrow(NeedsWorker);
    expect(existsSync(join(folder, 'work', 'a'))).toBe(false);
    writer.exclusively([place('a/b'), place('c')], () => writer.commit([create('a/b'), create('c')]));
    expect(existsSync(join(folder, 'work', 'a', 'b'))).toBe(true);
  });

  it('throws the given error', () => {
    write('a', 'x'.repeat(40));
    const counted = meteredFiles(
      files,
      new Meter({ whole: 10, windows: 10, work: 0, names: 1 }, ({ amount, of }) => new RangeError(`${amount} ${of}`)),
    );
    expect(() => counted.openPath('a').readAll()).toThrow(new RangeError('40 bytes'));
  });

  it('reports a missing workspace only on use', () => {
    const missing = localFiles({ cwd: join(folder, 'nothing'), stateDir: join(folder, 'state') });
    const counted = sharedFiles(missing, new Meter({ whole: 1, windows: 1, work: 0, names: 1 }));
    expect(() => counted.workspace).toThrow('folder not found');
  });
});
