import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FileChange, Files } from '../../../src/hosts/files/shape.ts';
import { faultOf } from '../../support/fault.ts';
import { desk } from './changes/desk.ts';

const TEXT = 'one\ntwo\nthree\n';

/** Puts `TWO` in the place of `two`, with what the caller says that it has read. */
function change(files: Files, name: string, old: Uint8Array): FileChange {
  const { file, stamp } = files.placeOf(name);
  return { file, stamp: stamp!, edit: { splices: [{ start: 4, end: 7, bytes: Buffer.from('TWO') }], old } };
}

describe('a batch with the content that was read', () => {
  it.each([[['a.txt', 'b.txt']], [['a.txt']]])(
    'writes and records the same as one that reads again: %s',
    async (names) => {
      const place = await desk({ 'a.txt': TEXT, 'b.txt': TEXT });
      const writer = await place.files.writer('test');
      // A view into the middle of a buffer, as a reader may give it.
      const old = Buffer.from(`before${TEXT}behind`).subarray(6, 6 + TEXT.length);
      writer.commit(names.map((name) => change(place.files, name, old)));
      const changed = TEXT.replace('two', 'TWO');
      expect(names.map((name) => place.text(name))).toEqual(names.map(() => changed));
      expect(place.changes.undo()).toMatchObject({ ok: true });
      expect(names.map((name) => place.text(name))).toEqual(names.map(() => TEXT));
    },
  );

  it('reads again when that was not the whole file', async () => {
    const place = await desk({ 'a.txt': TEXT, 'b.txt': TEXT });
    const writer = await place.files.writer('test');
    writer.commit(['a.txt', 'b.txt'].map((name) => change(place.files, name, Buffer.from('one\ntwo\n'))));
    expect(place.text('a.txt')).toBe(TEXT.replace('two', 'TWO'));
  });

  it('is refused as a whole when one of the files has changed since', async () => {
    const place = await desk({ 'a.txt': TEXT, 'b.txt': TEXT });
    const writer = await place.files.writer('test');
    const changes = ['a.txt', 'b.txt'].map((name) => change(place.files, name, Buffer.from(TEXT)));
    writeFileSync(`${place.root}/b.txt`, 'somebody else was here\n');
    expect(faultOf(() => writer.commit(changes)).code).toBe('FS_CHANGED');
    expect([place.text('a.txt'), readFileSync(`${place.root}/b.txt`, 'utf8')]).toEqual([
      TEXT,
      'somebody else was here\n',
    ]);
  });
});
