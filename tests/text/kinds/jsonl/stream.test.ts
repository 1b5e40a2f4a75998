import { describe, expect, it } from 'vitest';
import { parseOcPath } from '../../../../src/text/address/parse.ts';
import { stepsOf } from '../../../../src/text/address/steps.ts';
import {
  findInLines,
  formatInLines,
  lastLine,
  lineAt,
  matchesOf,
  resolveInLines,
} from '../../../../src/text/kinds/jsonl/stream.ts';
import { type ByteSource, bytesSource } from '../../../../src/text/scan/source.ts';

const steps = (pattern: string) => stepsOf(parseOcPath(`oc://f.jsonl/${pattern}`));
const encode = (text: string) => new TextEncoder().encode(text);

/** A source that records which bytes were read. */
function watched(bytes: Uint8Array): ByteSource & { readonly touched: { from: number; to: number }[] } {
  const touched: { from: number; to: number }[] = [];
  const source = bytesSource(bytes);
  return {
    size: bytes.length,
    touched,
    read(offset, into) {
      const got = source.read(offset, into);
      if (got > 0) touched.push({ from: offset, to: offset + got });
      return got;
    },
  };
}

function find(source: ByteSource, pattern: string, windowBytes?: number) {
  const batches = findInLines(source, steps(pattern), windowBytes === undefined ? {} : { windowBytes });
  return Array.from(batches).flatMap((batch) => [...matchesOf(batch)]);
}

const LINES = Array.from(
  { length: 20_000 },
  (_, i) => `{"i":${i},"event":"${i % 100 === 7 ? 'hit' : 'other'}","text":"${'x'.repeat(80)}"}\n`,
);
const LOG = encode(LINES.join(''));

describe('a JSONL source', () => {
  it('is read only as far as needed for the first lines', () => {
    for (const pattern of ['L1/i', '$first/i', '#2/i']) {
      const source = watched(LOG);
      expect(resolveInLines(source, steps(pattern), { windowBytes: 4096 })?.found.place.descriptor).toBe(
        'jsonc-scalar',
      );
      expect(Math.max(...source.touched.map(({ to }) => to))).toBeLessThanOrEqual(80_000);
    }
  });

  it('is read from the end for the last line, and counted only for its number', () => {
    const source = watched(LOG);
    const found = resolveInLines(source, steps('$last/i'));
    expect(found?.document.leaf(found.found.place)).toEqual({ valueText: '19999', leafType: 'number' });
    expect(Math.min(...source.touched.map(({ from }) => from))).toBeGreaterThan(LOG.length - 70_000);
    expect(found?.line?.number()).toBe(20_000);
    expect(Math.min(...source.touched.map(({ from }) => from))).toBe(0);
  });

  it('skips blank and malformed lines at the end', () => {
    const line = lastLine(bytesSource(encode('{"a":1}\n{"a":2}\nbroken\n\n  \n')));
    expect([line?.number(), line?.offset, line?.bytes]).toEqual([2, 8, 8]);
    expect(lastLine(bytesSource(encode('broken\n\n')))).toBeUndefined();
    expect(lastLine(bytesSource(encode('')))).toBeUndefined();
  });

  it('returns a line with its offset in the file', () => {
    const line = lineAt(bytesSource(LOG), 500);
    expect(line?.offset).toBe(LINES.slice(0, 499).join('').length);
    expect(line?.document.text).toBe(LINES[499]);
    expect(lineAt(bytesSource(LOG), 20_001)).toBeUndefined();
  });

  it('stops reading when the caller stops', () => {
    const source = watched(LOG);
    const batches = findInLines(source, steps('*/event'), { windowBytes: 4096 });
    expect(batches.next().done).toBe(false);
    batches.return(undefined);
    expect(Math.max(...source.touched.map(({ to }) => to))).toBeLessThanOrEqual(4096);
  });

  it('runs two searches at the same time', () => {
    const first = findInLines(bytesSource(LOG), steps('[event=hit]/i'), { windowBytes: 8192 });
    const second = findInLines(bytesSource(LOG), steps('*/event'), { windowBytes: 8192 });
    let hits = 0;
    let events = 0;
    for (;;) {
      const a = first.next();
      const b = second.next();
      if (!a.done) hits += [...matchesOf(a.value)].length;
      if (!b.done) events += [...matchesOf(b.value)].length;
      if (a.done === true && b.done === true) break;
    }
    expect([hits, events]).toEqual([200, 20_000]);
  });

  it.each(['[event=hit]/i', '[event!=other]/i', '[i>=19000]/i', '*/event', '*', '{L1,$last}/i'])(
    'finds the same by every window: %s',
    (pattern) => {
      const whole = find(bytesSource(LOG), pattern);
      expect(whole.length).toBeGreaterThan(0);
      expect(find(bytesSource(LOG), pattern, 777)).toEqual(whole);
    },
  );

  it('reads a line that is much longer than the window', () => {
    const long = `{"name":"${'é'.repeat(3_000_000)}","event":"hit"}`;
    const source = bytesSource(encode(`{"event":"hit","name":"a"}\n${long}\n{"event":"hit","name":"b"}`));
    const lengths = find(source, '[event=hit]/name', 4096).map(
      ({ match }) => match.kind === 'leaf' && match.valueText.length,
    );
    expect(lengths).toEqual([1, 3_000_000, 1]);
  });

  it('formats rows with a template, also if the output area is full', () => {
    const template = {
      leaf: ['L', { insert: 'line' }, '=', { insert: 'value' }, '·'.repeat(100), '\n'],
      container: ['container\n'],
    } as const;
    let text = '';
    for (const { chunks } of formatInLines(bytesSource(LOG), steps('*/i'), template) ?? [])
      for (const chunk of chunks) text += new TextDecoder().decode(chunk);
    expect(text).toBe(LINES.map((_, i) => `L${i + 1}=${i}${'·'.repeat(100)}\n`).join(''));
  });

  it('counts columns in UTF-16 units in rows that are formatted in bulk', () => {
    const template = { leaf: [{ insert: 'line' }, ':', { insert: 'column' }, ' '], container: [] } as const;
    const lines = Array.from({ length: 40 }, (_, i) => `{"${i % 3 === 0 ? 'é🙂' : 'e'}":1,"i":${i}}\n`);
    let text = '';
    for (const { chunks } of formatInLines(bytesSource(encode(lines.join(''))), steps('*/i'), template, {
      windowBytes: 200,
    }) ?? [])
      for (const chunk of chunks) text += new TextDecoder().decode(chunk);
    expect(text).toBe(lines.map((line, i) => `${i + 1}:${line.indexOf('"i"') + 1} `).join(''));
  });

  it('has no template for matches that differ in more than their value', () => {
    const template = { leaf: [], container: [] };
    for (const pattern of ['*', '**', '*/a/b', 'L1/i', '{L1,L2}/i', '*/*'])
      expect(formatInLines(bytesSource(LOG), steps(pattern), template)).toBeUndefined();
  });
});
