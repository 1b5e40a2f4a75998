import { describe, expect, it } from 'vitest';
import { parseOcPath } from '../../../../src/text/address/parse.ts';
import { stepsOf } from '../../../../src/text/address/steps.ts';
import { readJson } from '../../../../src/text/json/value.ts';
import type { Change } from '../../../../src/text/kind.ts';
import { type JsonlPlace, parseJsonl } from '../../../../src/text/kinds/jsonl/jsonl.ts';
import { applySplices } from '../../../../src/text/lines/splice.ts';
import { deleteOcPath, setOcPath } from '../../../../src/text/path/set.ts';
import { locate, walk } from '../../../../src/text/walk/walk.ts';
import { matchOf } from '../../../../src/text/walk/match.ts';
import { fc, runs } from '../../../support/property.ts';

const LOG = '{"event":"start","ts":1}\n\n{"event":"end", }\nnot json\n{"event":"last"}\n';

function path(address: string) {
  return parseOcPath(`oc://f.jsonl/${address}`);
}

function set(text: string, address: string, value: string): string {
  const outcome = setOcPath(parseJsonl(text), path(address), { text: value });
  return outcome.ok ? outcome.text : `${outcome.reason}: ${outcome.detail}`;
}

function remove(text: string, address: string): string {
  const outcome = deleteOcPath(parseJsonl(text), path(address));
  return outcome.ok ? outcome.text : `${outcome.reason}: ${outcome.detail}`;
}

function names(text: string, address: string): string[] {
  return Array.from(walk(parseJsonl(text), stepsOf(path(address))), (found) =>
    found.names.map((name) => name.text).join('/'),
  );
}

function resolve(text: string, address: string) {
  const document = parseJsonl(text);
  const found = locate(document, stepsOf(path(address)));
  return found === undefined ? undefined : matchOf(document, found);
}

describe('reading', () => {
  it('lists the lines with a value by physical number', () => {
    expect(names(LOG, '*')).toEqual(['L1', 'L3', 'L5']);
    expect(names(LOG, '**/event')).toEqual(['L1/event', 'L3/event', 'L5/event']);
  });

  it.each([
    ['L1/ts', { kind: 'leaf', valueText: '1', leafType: 'number', line: 1, column: 18 }],
    ['L01/event', { kind: 'leaf', valueText: 'start', leafType: 'string', line: 1, column: 2 }],
    ['L3/event', { kind: 'leaf', valueText: 'end', leafType: 'string', line: 3, column: 2 }],
    ['$first/event', { kind: 'leaf', valueText: 'start', leafType: 'string', line: 1, column: 2 }],
    ['$last/event', { kind: 'leaf', valueText: 'last', leafType: 'string', line: 5, column: 2 }],
    ['#1/event', { kind: 'leaf', valueText: 'end', leafType: 'string', line: 3, column: 2 }],
    ['L2', { kind: 'node', descriptor: 'jsonl-line', line: 2, column: 1 }],
    ['L4', { kind: 'node', descriptor: 'jsonl-line', line: 4, column: 1 }],
    ['L4/event', undefined],
    ['L6', undefined],
    ['L0', undefined],
    ['"L1"', undefined],
    ['event', undefined],
    ['+', { kind: 'insertion-point', container: 'jsonl-file', line: 1, column: 1 }],
    ['L1/+x', { kind: 'insertion-point', container: 'jsonc-object', line: 1, column: 1 }],
    ['L4/+x', undefined],
  ])('resolves %s', (address, match) => {
    expect(resolve(LOG, address)).toEqual(match);
  });

  it('counts the ordinal of a line on access', () => {
    const document = parseJsonl(LOG);
    const third = document.child(document.root, 'section', 'L5', false);
    expect(third?.ordinal).toBe(2);
  });

  it('reads the values of lines and of the whole file', () => {
    const document = parseJsonl('{"a":[1,{"b":null}]}\nbroken\n7');
    const line = (name: string) => document.child(document.root, 'section', name, false) as JsonlPlace;
    expect(document.value(document.root)).toEqual([document.value(line('L1')), 7]);
    expect(document.value(line('L2'))).toBe('broken');
    expect(document.raw(line('L1'))).toBe('{"a":[1,{"b":null}]}');
    expect(document.raw(document.root)).toBe(document.text);
  });

  it('reads a byte order mark and CRLF', () => {
    const text = '\ufeff{"a":1}\r\n{"a":2}\r\n';
    expect(names(text, '*/a')).toEqual(['L1/a', 'L2/a']);
    expect(resolve(text, 'L1/a')).toEqual({ kind: 'leaf', valueText: '1', leafType: 'number', line: 1, column: 3 });
  });

  it('has no lines in an empty text', () => {
    expect(names('', '*')).toEqual([]);
    expect(resolve('', 'L1')).toBeUndefined();
  });
});

describe('writing', () => {
  it.each([
    ['a leaf', LOG, 'L1/ts', '2', LOG.replace('"ts":1', '"ts":2')],
    ['a leaf of a line with a trailing comma', LOG, 'L3/event', 'x', LOG.replace('"end", }', '"x", }')],
    ['the same value', '{"a": 1.10}\n', 'L1/a', '1.10', '{"a": 1.10}\n'],
    ['a whole line, compact', '{"a":1}\r\n{"b":2}\r\n', 'L1', '{"c":[1, 2]}', '{"c":[1,2]}\r\n{"b":2}\r\n'],
    ['a whole line in its own style', '{"a": 1}\n', 'L1', '{"c":[1,2],"d":3}', '{"c": [1, 2], "d": 3}\n'],
    ['a whole line with inner blanks', '{ "a": 1 }\n', 'L1', '{"b":2}', '{ "b": 2 }\n'],
    ['a line after a byte order mark', '\ufeff{"a":1}\n', 'L1', '[]', '\ufeff[]\n'],
    ['the same line, whatever its spacing', '{ "a" :1}\n', 'L1', '{"a":1}', '{ "a" :1}\n'],
    ['a new key in a line', '{"a": 1}\n{"b":2}', 'L1/+c', 'true', '{"a": 1, "c": true}\n{"b":2}'],
    ['a new element in a line', '{"a":[1]}', 'L1/a/+', '2', '{"a":[1,2]}'],
  ])('sets %s', (_name, text, address, value, result) => {
    expect(set(text, address, value)).toBe(result);
  });

  it.each([
    ['keeps the final newline', '{"a":1}\n', '{"a":1}\n{"b":2}\n'],
    ['keeps its absence', '{"a":1}', '{"a":1}\n{"b":2}'],
    ['takes the dominant ending', '{"a":1}\r\n{"a":2}\r\n{"a":3}\n', '{"a":1}\r\n{"a":2}\r\n{"a":3}\n{"b":2}\r\n'],
    ['takes the dominant ending without final newline', '{"a":1}\r\n{"a":2}', '{"a":1}\r\n{"a":2}\r\n{"b":2}'],
    ['gives an empty file a newline', '', '{"b":2}\n'],
    ['gives a file of a byte order mark a newline', '\ufeff', '\ufeff{"b":2}\n'],
    ['takes the style of the last record', '{"a":1}\n{"a": 1}\nbroken\n\n', '{"a":1}\n{"a": 1}\nbroken\n\n{"b": 2}\n'],
    ['takes the style of the last array', '[1, 2]\n[]\n', '[1, 2]\n[]\n{"b": 2}\n'],
    ['stays compact after scalars', '5\n"x"\n', '5\n"x"\n{"b":2}\n'],
    ['skips blank lines', '\n', '\n{"b":2}\n'],
  ])('appends: %s', (_name, text, result) => {
    expect(set(text, '+', '{"b":2}')).toBe(result);
  });

  it.each([
    ['+0', 'first, with the ending of the line behind it', '[]\r\n{"a":1}\r\n{"b":2}\n'],
    ['+1', 'before the second line', '{"a":1}\r\n[]\n{"b":2}\n'],
    ['+2', 'at the end', '{"a":1}\r\n{"b":2}\n[]\n'],
    ['+9', 'at the end, past it', '{"a":1}\r\n{"b":2}\n[]\n'],
  ])('inserts at %s: %s', (address, _where, result) => {
    expect(set('{"a":1}\r\n{"b":2}\n', address, '[]')).toBe(result);
  });

  it('inserts after a byte order mark', () => {
    expect(set('\ufeff{"a":1}\n', '+0', '[]')).toBe('\ufeff[]\n{"a":1}\n');
  });

  it('creates the children of an appended line', () => {
    expect(set('{"a":1}\n', '+/x/y', '"deep"')).toBe('{"a":1}\n{"x":{"y":"deep"}}\n');
  });

  it.each([
    ['L2', '1', 'not-a-value-line'],
    ['L4', '1', 'not-a-value-line'],
    ['L4/+x', '1', 'not-a-value-line'],
    ['L4/event', 'x', 'not-a-value-line'],
    ['L9', '1', 'unresolved'],
    ['L1', 'not json', 'parse-error'],
    ['L1/ts', 'x', 'parse-error'],
    ['+', 'not json', 'parse-error'],
    ['+key', '1', 'type-mismatch'],
    ['*', '1', 'wildcard-not-allowed'],
  ])('refuses %s with a reason', (address, value, reason) => {
    expect(set(LOG, address, value)).toMatch(new RegExp(`^${reason}: `));
  });

  it('refuses to set or delete the whole file', () => {
    const document = parseJsonl(LOG);
    const refusals: Change[] = [document.write(document.root, { json: null }), document.remove(document.root)];
    expect(refusals.map((refusal) => !refusal.ok && refusal.reason)).toEqual(['not-writable', 'not-writable']);
  });

  it.each([
    ['a line with its ending', '{"a":1}\r\n{"a":2}\n{"a":3}\n', 'L2', '{"a":1}\r\n{"a":3}\n'],
    ['the last line, its newline too', '{"a":1}\n{"a":2}\n', '$last', '{"a":1}\n'],
    ['the last line of a file without final newline', '{"a":1}\r\n{"a":2}', 'L2', '{"a":1}'],
    ['the only line', '{"a":1}', 'L1', ''],
    ['the first line behind a byte order mark', '\ufeff{"a":1}\n{"a":2}\n', 'L1', '\ufeff{"a":2}\n'],
    ['a malformed line', '{"a":1}\nbroken\n{"a":3}\n', 'L2', '{"a":1}\n{"a":3}\n'],
    ['a key in a line', '{"a":1, "b":2}\n', 'L1/a', '{"b":2}\n'],
  ])('deletes %s', (_name, text, address, result) => {
    expect(remove(text, address)).toBe(result);
  });
});

describe('laws', () => {
  const record = fc.oneof(
    fc.json({ maxDepth: 2, noUnicodeString: true }).map((text) => JSON.stringify(JSON.parse(text))),
    fc.constantFrom('', ' ', 'broken', '{"a": 1, // c', '{"a":1,}', '{"k":"v"} // note', '\ufeff{}'),
  );
  const text = fc
    .tuple(fc.array(fc.tuple(record, fc.constantFrom('\n', '\r\n'))), fc.boolean())
    .map(([lines, isOpen]) => {
      const all = lines.map(([line, end]) => line + end).join('');
      return isOpen ? all.replace(/\r?\n$/, '') : all;
    });

  it('every match resolves back to itself, and setting its own value changes nothing', () => {
    fc.assert(
      fc.property(text, (source) => {
        const document = parseJsonl(source);
        for (const found of walk(document, stepsOf(path('**')))) {
          if (found.names.length === 0) continue;
          const address = found.names.map((name) => name.text).join('/');
          if (found.names.length > 4 || address.length > 200) continue;
          const back = locate(document, stepsOf(path(address)));
          expect(back && matchOf(document, back)).toEqual(matchOf(document, found));
          expect(document.write(found.place, { json: document.value(found.place) })).toEqual({ ok: true, splices: [] });
        }
      }),
      { numRuns: runs(200) },
    );
  });

  it('an appended record is the last line, and all bytes before it stay', () => {
    fc.assert(
      fc.property(text, fc.json({ maxDepth: 2 }), (source, json) => {
        const document = parseJsonl(source);
        const change = document.insert(document.root, 'section', { at: 'end' }, [], { text: json });
        if (!change.ok) {
          expect('error' in readJson(json)).toBe(true);
          return;
        }
        const after = applySplices(source, change.splices);
        expect(after.startsWith(source)).toBe(true);
        expect(after.endsWith('\n')).toBe(source === '' || source.endsWith('\n'));
        const changed = parseJsonl(after);
        const last = [...changed.children(changed.root, 'section')].at(-1);
        expect(last && JSON.parse(changed.raw(last))).toEqual(JSON.parse(json));
      }),
      { numRuns: runs(300) },
    );
  });

  it('deleting an appended record restores the text', () => {
    fc.assert(
      fc.property(text, (source) => {
        const document = parseJsonl(source);
        const change = document.insert(document.root, 'section', { at: 'end' }, [], { json: 1 });
        if (!change.ok) throw new Error(change.reason);
        const changed = parseJsonl(applySplices(source, change.splices));
        const last = [...changed.children(changed.root, 'section')].at(-1);
        if (last === undefined) throw new Error('the appended line is missing');
        const removal = changed.remove(last);
        if (!removal.ok) throw new Error(removal.reason);
        expect(applySplices(changed.text, removal.splices)).toBe(source);
      }),
      { numRuns: runs(300) },
    );
  });
});
