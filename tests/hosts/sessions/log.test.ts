import { join } from 'node:path';
import fs, { readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ByteRing } from '../../../src/hosts/sessions/log/byte-ring.ts';
import { LinePages } from '../../../src/hosts/sessions/log/line-pages.ts';
import { OutputLog } from '../../../src/hosts/sessions/log/log.ts';
import { Polls } from '../../../src/hosts/sessions/polls.ts';
import { Condition } from '../../../src/hosts/sessions/condition.ts';
import { StreamRuns } from '../../../src/hosts/sessions/log/stream-runs.ts';
import { makeFolder } from '../../support/folder.ts';
import { fc } from '../../support/property.ts';

const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 40 });

describe('a ring', () => {
  it('has the newest bytes at their positions, and all that must stay', () => {
    fc.assert(
      fc.property(chunks, fc.integer({ min: 1, max: 64 }), fc.infiniteStream(fc.nat(60)), (parts, usual, behind) => {
        const ring = new ByteRing(usual);
        let all = Buffer.alloc(0);
        let keepFrom = 0;
        for (const part of parts) {
          ring.append(part, keepFrom);
          all = Buffer.concat([all, part]);
          expect(ring.end).toBe(all.length);
          expect(ring.start).toBeLessThanOrEqual(Math.max(keepFrom, 0));
          expect(ring.end - ring.start).toBeGreaterThanOrEqual(Math.min(usual, all.length - keepFrom));
          expect(ring.copy(ring.start, ring.end)).toEqual(all.subarray(ring.start));
          keepFrom = Math.max(keepFrom, all.length - behind.next().value);
        }
        ring.shrinkTo(keepFrom);
        expect(ring.copy(ring.start, ring.end)).toEqual(all.subarray(ring.start));
        expect(ring.start).toBeLessThanOrEqual(Math.min(keepFrom, all.length));
        ring.append(Buffer.from('more'), keepFrom);
        expect(ring.copy(ring.end - 4, ring.end).toString()).toBe('more');
      }),
    );
  });
});

describe('the streams of a log', () => {
  it('are known for every byte', () => {
    const part = fc.record({
      stream: fc.constantFrom('out' as const, 'err' as const),
      length: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const runs = new StreamRuns();
        const expected: string[] = [];
        for (const { stream, length } of parts) {
          runs.note(expected.length, stream);
          expected.push(...Array.from({ length }, () => stream));
        }
        const told: string[] = [];
        while (told.length < expected.length) {
          const { stream, end } = runs.runAt(told.length, expected.length);
          told.push(...Array.from({ length: end - told.length }, () => stream));
        }
        expect(told).toEqual(expected);
      }),
    );
  });
});

function makeLog(
  cap = 2 ** 30,
  folder = join(makeFolder(), 'sessions', 'quiet-otter'),
  options: { readonly isCopy?: boolean } = {},
) {
  let resumed = 0;
  const log = new OutputLog(folder, cap, () => void resumed++, options);
  onTestFinished(() => log.remove());
  return { log, folder, resumed: () => resumed };
}

/** Every write to a file fails while `work` goes on, as on a full disk. */
async function whileFull(work: () => Promise<void>): Promise<void> {
  const original = fs.write;
  const calls: { write: unknown } = fs;
  calls.write = (...args: unknown[]) => {
    const done = args.at(-1) as (error: Error, bytes: number) => void;
    setImmediate(() => done(Object.assign(new Error('no space left'), { code: 'ENOSPC' }), 0));
  };
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    calls.write = original;
    syncBuiltinESMExports();
  }
}

/** A line for each number, of the same length. */
const LINE = 64;
const lines = (from: number, to: number) =>
  Buffer.from(
    Array.from({ length: to - from }, (_, index) => String(from + index).padStart(LINE - 1, '.') + '\n').join(''),
  );

describe('a log', () => {
  it('stays in memory while it is short, and is on the disk when it is long', async () => {
    const { log, folder } = makeLog();
    log.append('out', Buffer.from('short'));
    await log.finish();
    expect(() => readFileSync(join(folder, 'log'))).toThrow('ENOENT');
    const more = lines(0, 2000);
    log.append('out', more);
    await log.finish();
    expect(readFileSync(join(folder, 'log'))).toEqual(Buffer.concat([Buffer.from('short'), more]));
  });

  it('pauses the process when the disk is slower, and loses nothing', async () => {
    const { log, folder, resumed } = makeLog();
    let silenced = 0;
    const written: Buffer[] = [];
    for (let count = 0; count < 100; count++) {
      const piece = lines(count * 1000, (count + 1) * 1000);
      written.push(piece);
      if (!log.append('out', piece)) {
        silenced++;
        const before = resumed();
        while (resumed() === before) await new Promise(setImmediate);
      }
    }
    expect(silenced).toBeGreaterThan(0);
    expect(resumed()).toBe(silenced);
    await log.finish();
    expect(readFileSync(join(folder, 'log')).equals(Buffer.concat(written))).toBe(true);
  });

  it.each([
    ['512 KiB', false, 0x8_0000],
    ['4 MiB of the copy of a log of another machine', true, 0x40_0000],
  ])('lets %s wait for the disk, and writes all of it at once', async (_name, isCopy, most) => {
    const { log } = makeLog(undefined, undefined, { isCopy });
    log.append('out', Buffer.alloc(0x1_0001));
    await log.settled();
    const writes = vi.spyOn(fs, 'write');
    syncBuiltinESMExports();
    onTestFinished(() => {
      writes.mockRestore();
      syncBuiltinESMExports();
    });
    const goesOn = [log.append('out', Buffer.alloc(most)), log.append('out', Buffer.alloc(1))];
    await log.settled();
    expect({ goesOn, onDisk: log.bytesOnDisk, fewWrites: writes.mock.calls.length < 6 }).toEqual({
      goesOn: [true, false],
      onDisk: 0x1_0001 + most + 1,
      fewWrites: true,
    });
  });

  it('continues in memory when the disk fails, and reports it', async () => {
    const blocked = join(makeFolder({ file: 'in the way' }), 'file', 'quiet-otter');
    const { log } = makeLog(undefined, blocked);
    for (let count = 0; count < 40; count++) {
      log.append('out', lines(count * 1000, (count + 1) * 1000));
      await new Promise(setImmediate);
    }
    await log.finish();
    expect(log.note).toBe(
      'the output could not be written to the disk after 0 bytes (ENOTDIR); the middle of the log may be lost',
    );
    expect(log.gap).toEqual({ start: 65_536, end: expect.any(Number) });
    expect(log.next(0, LINE)).toEqual({ start: 0, bytes: lines(0, 1) });
    expect(log.next(log.end - LINE, LINE)?.bytes).toEqual(lines(39_999, 40_000));
    const { text, truncated } = await new LinePages(log).page(undefined, 1, true);
    expect({ text, truncated }).toEqual({ text: lines(39_999, 40_000).toString(), truncated: true });
  });

  it('leaves a reserve on the disk', async () => {
    const { statfsSync } = fs;
    let free = 10_000_000;
    fs.statfsSync = ((folder: string) => ({
      ...statfsSync(folder),
      bsize: 1,
      blocks: 100_000_000,
      bavail: free,
    })) as typeof statfsSync;
    syncBuiltinESMExports();
    onTestFinished(() => {
      fs.statfsSync = statfsSync;
      syncBuiltinESMExports();
    });
    const { log } = makeLog();
    for (let count = 0; count < 400; count++) {
      log.append('out', Buffer.alloc(20_000));
      free -= 20_000;
      await new Promise(setImmediate);
      await log.settled();
    }
    expect(log.note).toMatch(/after \d+ bytes \(ENOSPC\)/u);
    const kept = Number(/after (\d+)/u.exec(log.note!)![1]);
    expect([kept > 4_000_000, kept <= 5_020_000]).toEqual([true, true]);
  });

  it('keeps what was written when the disk becomes full, and the newest in memory', async () => {
    const { log } = makeLog();
    log.append('out', lines(0, 5000));
    await log.settled();
    await whileFull(async () => {
      for (let count = 5; count < 40; count++) {
        log.append('out', lines(count * 1000, (count + 1) * 1000));
        await new Promise(setImmediate);
      }
      await log.settled();
    });
    expect(log.note).toBe(
      'the output could not be written to the disk after 320000 bytes (ENOSPC); the middle of the log may be lost',
    );
    expect(log.gap.start).toBe(320_000);
    expect(log.next(319_936, LINE)?.bytes).toEqual(lines(4999, 5000));
    expect(log.next(log.end - LINE, LINE)?.bytes).toEqual(lines(39_999, 40_000));
  });

  it('does not follow a link at its path', async () => {
    const folder = makeFolder({ victim: 'precious', 'sessions/quiet-otter/log': 'here already' });
    const { log } = makeLog(undefined, join(folder, 'sessions', 'quiet-otter'));
    log.persist();
    await log.finish();
    expect(log.note).toContain('(EEXIST)');
    await log.remove();
    expect(readFileSync(join(folder, 'sessions/quiet-otter/log'), 'utf8')).toBe('here already');
  });

  it('shows a gap where another process truncated its file', async () => {
    const { log, folder } = makeLog();
    log.append('out', lines(0, 4000));
    await log.finish();
    writeFileSync(join(folder, 'log'), '');
    expect(log.next(100_000, 10)).toMatchObject({ start: log.end - 8192 });
    expect(await log.nextAsync(100_000, 10)).toMatchObject({ start: log.end - 8192 });
  });

  it('is paged by lines, whatever the chunks were', async () => {
    const { log } = makeLog();
    const pages = new LinePages(log);
    // More than three windows of counting, and lines that end exactly with a window.
    for (let count = 0; count < 60; count++) log.append('out', lines(count * 1000, (count + 1) * 1000));
    await log.finish();
    for (const offset of [0, 1, 16_383, 16_384, 16_385, 32_768, 59_999]) {
      const { text, totalLines } = await pages.page(offset, 1, true);
      expect({ text, totalLines }).toEqual({ text: lines(offset, offset + 1).toString(), totalLines: 60_000 });
    }
    log.append('out', Buffer.from('an open line'));
    expect(await pages.page(undefined, 2, false)).toEqual({
      text: `${lines(59_999, 60_000).toString()}an open line`,
      offset: 59_999,
      lines: 2,
      totalLines: 60_001,
      truncated: false,
    });
  });

  it('shows as many whole lines as fit, and parts of a longer line', async () => {
    const { log } = makeLog();
    const pages = new LinePages(log);
    log.append('out', lines(0, 10_000));
    expect(await pages.page(0, undefined, true)).toMatchObject({ offset: 0, lines: 4096, totalLines: 10_000 });
    expect(await pages.page(undefined, 9000, true)).toMatchObject({ offset: 5905, lines: 4095, totalLines: 10_000 });
    log.append('out', Buffer.alloc(300_000, 'x'));
    const last = await pages.page(undefined, 1, true);
    expect(last.text).toBe(`[… 37,856 bytes of this line left out …]${'x'.repeat(262_144)}`);
    const first = await pages.page(10_000, 1, true);
    expect(first.text).toBe(`${'x'.repeat(262_144)}[… 37,856 bytes of this line left out …]\n`);
  });

  it('pages through 64 MB with flat memory', async () => {
    const { log, resumed } = makeLog();
    const pages = new LinePages(log);
    const block = lines(0, 4096);
    for (let count = 0; count < 256; count++) {
      const before = resumed();
      if (!log.append('out', block)) while (resumed() === before) await new Promise(setImmediate);
    }
    await log.finish();
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (let offset = 0; offset < 256 * 4096; offset += 50_000) {
      const { text, totalLines } = await pages.page(offset, 1, true);
      expect({ text, totalLines }).toEqual({
        text: lines(offset % 4096, (offset % 4096) + 1).toString(),
        totalLines: 1_048_576,
      });
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    expect(most).toBeLessThan(256 * block.length); // windows of it, and not the whole
  });
});

describe('polls', () => {
  it('never lose, repeat or split a character, in any order of polls and output', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀', '\n', '\u001b[1m'), maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.array(fc.integer({ min: 1, max: 7 })),
        fc.array(fc.boolean()),
        async (whole, cuts, asks) => {
          const log = new OutputLog('/nowhere', 0, () => undefined);
          const session = { log, condition: new Condition(), hasEnded: false };
          const polls = new Polls(session, () => 0);
          const bytes = Buffer.from(whole);
          let at = 0;
          let got = '';
          let end = 0;
          const poll = async () => {
            const { output } = await polls.poll('agent', 0, undefined);
            expect(output).toMatchObject({ start: end, omitted: 0 });
            end = output.end;
            got += output.text;
          };
          for (let step = 0; at < bytes.length; step++) {
            const next = Math.min(bytes.length, at + (cuts[step] ?? 5));
            log.append('out', bytes.subarray(at, next));
            at = next;
            if (asks[step] !== false) await poll();
          }
          session.hasEnded = true;
          await poll();
          expect(got).toBe(whole.replaceAll('\u001b[1m', ''));
          expect(end).toBe(bytes.length);
        },
      ),
    );
  });
});
