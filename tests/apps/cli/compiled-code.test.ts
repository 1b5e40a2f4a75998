/** The compiled code beside the chunks of the program: which of it is used. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../support/folder.ts';

const dist = resolve(import.meta.dirname, '../../../dist');

/** A copy of the program, and whether V8 takes the code of its main chunk. */
function copied() {
  const folder = makeFolder({});
  cpSync(dist, join(folder, 'dist'), { recursive: true });
  const main = join(folder, 'dist', 'chunks', 'main.cjs');
  const probe = `
    const { chunkLoader } = require(${JSON.stringify(join(folder, 'dist', 'pincer.cjs'))});
    process.argv = [process.argv[0], 'pincer', '--version'];
    chunkLoader(require, ({ file, script }) => {
      if (file.endsWith('main.cjs')) process.stderr.write(String(script.cachedDataRejected));
    })(${JSON.stringify(main)});`;
  const run = () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', probe], { encoding: 'utf8', env: { HOME: folder } });
    return { answers: /^\d+\.\d+/u.test(stdout), code: stderr === 'false' ? 'used' : 'not used' };
  };
  return { code: `${main}.code`, run };
}

describe('B25: compiled code', () => {
  it('is used when it belongs to its chunk', () => {
    expect(copied().run()).toEqual({ answers: true, code: 'used' });
  });

  it('is not used for another chunk of the same length', () => {
    const { code, run } = copied();
    const other = readFileSync(code);
    other.writeUInt8(other.readUInt8(0) ^ 1, 0);
    writeFileSync(code, other);
    expect(run()).toEqual({ answers: true, code: 'not used' });
  });

  it.skipIf(process.platform === 'win32').each([0o664, 0o646, 0o666])('is not used with the mode %o', (mode) => {
    const { code, run } = copied();
    chmodSync(code, mode);
    expect(run()).toEqual({ answers: true, code: 'not used' });
  });

  it('may be missing or empty', () => {
    const { code, run } = copied();
    writeFileSync(code, '');
    expect(run()).toEqual({ answers: true, code: 'not used' });
  });
});
