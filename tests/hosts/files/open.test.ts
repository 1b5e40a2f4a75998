import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { locateOperator } from '../../../src/hosts/files/gate/locate.ts';
import { locate } from '../../support/locate.ts';
import { openFile } from '../../../src/hosts/files/gate/open.ts';
import { sameStamp } from '../../../src/hosts/files/stamp.ts';
import { faultOf } from '../../support/fault.ts';
import { makeFolder } from '../../support/folder.ts';
import { ripened } from '../../support/patience.ts';

describe('an open file', () => {
  it('reads any range, and less at the end', () => {
    const ws = makeFolder({ 'a.txt': '0123456789' });
    const file = openFile(locate(ws, 'a.txt'));
    const into = new Uint8Array(4);
    expect([file.size, file.read(3, into), new TextDecoder().decode(into)]).toEqual([10, 4, '3456']);
    expect([file.read(8, into), file.read(10, into), file.read(99, into)]).toEqual([2, 0, 0]);
    expect(new TextDecoder().decode(file.readAll())).toBe('0123456789');
    file.close();
    file.close();
  });

  it('reads an empty file, a growing one up to its stamped size, and one of /proc to its end', () => {
    const ws = makeFolder({ empty: '', grows: 'a' });
    const empty = openFile(locate(ws, 'empty'));
    expect([empty.size, empty.readAll()]).toEqual([0, new Uint8Array()]);
    empty.close();
    const grows = openFile(locate(ws, 'grows'));
    appendFileSync(join(ws, 'grows'), 'b'.repeat(5000));
    expect([grows.size, grows.readAll().length]).toEqual([1, 1]);
    grows.close();
    const status = openFile(locateOperator('/', `/proc/${process.pid}/status`));
    expect(new TextDecoder().decode(status.readAll())).toMatch(/^Name:.*nonvoluntary_ctxt_switches:\t\d+\n$/su);
    status.close();
  });

  it('has another stamp after a write of the same length', async () => {
    const ws = makeFolder({ 'a.txt': 'one' });
    await ripened(join(ws, 'a.txt'));
    const before = openFile(locate(ws, 'a.txt'));
    writeFileSync(join(ws, 'a.txt'), 'two');
    const after = openFile(locate(ws, 'a.txt'));
    expect(sameStamp(before.stamp, before.stamp)).toBe(true);
    expect(sameStamp(before.stamp, after.stamp)).toBe(false);
    before.close();
    after.close();
  });

  it('is missing when the file was removed after it was located', () => {
    const ws = makeFolder({ 'a.txt': '' });
    const file = locate(ws, 'a.txt');
    expect(faultOf(() => openFile({ ...file, path: join(ws, 'b.txt') })).code).toBe('FS_NOT_FOUND');
  });
});
