import { describe, expect, it } from 'vitest';
import { ConfigDocument, type FileStep } from '../../src/config/load/source/document.ts';
import { loadJson5Parser } from '../../src/config/load/source/json5.ts';
import { applySplices } from '../../src/text/lines/splice.ts';
import { fc, runs } from '../support/property.ts';
import { type Data, dataObject, style, writeJson5 } from './json5-text.ts';

const parse = await loadJson5Parser();
const read = (text: string): unknown => parse(text.replace(/^\ufeff/u, ''));
const documentOf = (text: string): ConfigDocument => new ConfigDocument(text, parse);
const set = (text: string, at: readonly FileStep[], value: unknown): string =>
  applySplices(text, documentOf(text).set(at, value));
const unset = (text: string, at: readonly FileStep[]): string => applySplices(text, documentOf(text).unset(at) ?? []);

/** The steps to every container of some data. */
function* containers(data: Data, at: readonly FileStep[] = []): Generator<readonly FileStep[]> {
  if (typeof data !== 'object' || data === null) return;
  yield at;
  for (const [name, entry] of Object.entries(data))
    yield* containers(entry, [...at, Array.isArray(data) ? Number(name) : name]);
}

/** A place for something new in some data: in any container, under names that are not there. */
function placeIn(data: Data, drawn: number, names: readonly string[]): readonly FileStep[] {
  const all = [...containers(data)];
  const container = all[drawn % all.length]!;
  const here = container.reduce<Data>((inside, step) => (inside as Record<FileStep, Data>)[step]!, data);
  return Array.isArray(here) ? [...container, here.length] : [...container, `new ${names[0]}`, ...names.slice(1)];
}

/** The data with a value at a place, as assignments in JavaScript have it. */
function assigned(data: Data, at: readonly FileStep[], value: Data): Data {
  const copy = structuredClone(data);
  let here = copy as Record<FileStep, Data>;
  for (const step of at.slice(0, -1)) here = (here[step] ??= {}) as Record<FileStep, Data>;
  here[at.at(-1)!] = value;
  return copy;
}

const newPlace = fc.tuple(fc.nat(), fc.array(fc.stringMatching(/^[a-z]{1,4}$/u), { minLength: 1, maxLength: 3 }));

describe('a configuration file', () => {
  it('has the same value after translation', () => {
    fc.assert(
      fc.property(dataObject, style, (data, how) => {
        const text = writeJson5(data, how);
        expect(read(text)).toEqual(data);
        expect(documentOf(text).has(Object.keys(data).slice(0, 1))).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });

  it('changes nothing else when a setting is added', () => {
    fc.assert(
      fc.property(dataObject, style, newPlace, dataObject, (data, how, [drawn, names], value) => {
        const at = placeIn(data, drawn, names);
        const after = set(writeJson5(data, how), at, value);
        expect(read(after)).toEqual(assigned(data, at, value));
      }),
      { numRuns: runs(250) },
    );
  });

  it('is unchanged when a setting is set and unset', () => {
    fc.assert(
      fc.property(dataObject, style, newPlace, (data, how, [drawn, names]) => {
        const text = writeJson5(data, how);
        const at = placeIn(data, drawn, names);
        expect(unset(set(text, at, 'value'), at)).toBe(text);
      }),
      { numRuns: runs(400) },
    );
  });

  it('loses exactly one setting on unset', () => {
    fc.assert(
      fc.property(dataObject, style, (data, how) => {
        const [name] = Object.keys(data);
        const { [name!]: _, ...rest } = data;
        expect(read(unset(writeJson5(data, how), [name!]))).toEqual(rest);
      }),
      { numRuns: runs(300) },
    );
  });

  const CHANGES = [
    {
      what: "the specification's own form stays as it is",
      text: '{\n  tools: {\n    exec: {\n      pathPrepend: ["~/bin"], // mine\n    },\n  },\n}\n',
      at: ['tools', 'exec', 'host'],
      after:
        '{\n  tools: {\n    exec: {\n      pathPrepend: ["~/bin"], // mine\n      host: "node",\n    },\n  },\n}\n',
    },
    {
      what: 'single quotes are continued',
      text: "{ tools: { exec: { node: 'a' } } }",
      at: ['tools', 'exec', 'host'],
      after: "{ tools: { exec: { node: 'a', host: 'node' } } }",
    },
    {
      what: 'double quotes are continued',
      text: '{"tools":{"exec":{"node":"a"}}}\n',
      at: ['tools', 'exec', 'host'],
      after: '{"tools":{"exec":{"node":"a","host":"node"}}}\n',
    },
    {
      what: 'a value is replaced in its place',
      text: "{\r\n\ttools: /* t */ { exec: { host: 'gateway' /* h */ } }\r\n}",
      at: ['tools', 'exec', 'host'],
      after: "{\r\n\ttools: /* t */ { exec: { host: 'node' /* h */ } }\r\n}",
    },
    {
      what: 'of a name that is said twice the one that counts is changed',
      text: '{tools: {exec: {host: "sandbox"}}, tools: {exec: {host: "gateway"}}}',
      at: ['tools', 'exec', 'host'],
      after: '{tools: {exec: {host: "sandbox"}}, tools: {exec: {host: "node"}}}',
    },
    { what: 'an empty object is filled', text: '{}', at: ['a'], after: '{"a": "node"}' },
  ];
  it.each(CHANGES)('$what', ({ text, at, after }) => {
    expect(set(text, at, 'node')).toBe(after);
  });

  const REMOVALS = [
    ['{ a: { b: { c: 1 } }, d: 2 }', ['a', 'b', 'c'], '{ d: 2 }'],
    ['{ a: { b: { c: 1 /* why */ } }, d: 2 }', ['a', 'b', 'c'], '{ a: { b: {  /* why */ } }, d: 2 }'],
    ['{ l: [{ id: 1 }] }', ['l', 0, 'id'], '{ l: [{  }] }'],
    ['{ l: [1] }', ['l', 0], '{ l: [] }'],
  ] as const;
  it.each(REMOVALS)(
    'unset takes what is empty along, but neither comments nor entries of lists: %s',
    (text, at, after) => {
      expect(read(unset(text, at))).toEqual(read(after));
      expect(unset(text, at)).toBe(after);
    },
  );

  it('reports the position of a setting', () => {
    const text = "{\n  tools: {\n    'exec': { host: 1 },\n  },\n}\n";
    const document = documentOf(text);
    expect([document.positionOf(['tools', 'exec', 'host']), document.positionOf(['tools', 'fs'])]).toEqual([
      { line: 3, column: 15 },
      { line: 2, column: 3 },
    ]);
  });
});
