import { describe, expect, it } from 'vitest';
import { parseOcPath } from '../../../src/text/address/index.ts';
import type { KindName } from '../../../src/text/kind.ts';
import { parseDocument } from '../../../src/text/path/document.ts';
import { findOcPaths, resolveOcPath } from '../../../src/text/path/read.ts';

const FILES: Readonly<Record<KindName, string>> = {
  md: 'x.md',
  jsonc: 'x.json',
  jsonl: 'x.jsonl',
  yaml: 'x.yaml',
  dotenv: 'x.env',
};

/** The addresses a pattern finds, without `oc://x.…/`, with the value of leaves. */
function found(kind: KindName, text: string, pattern: string): string[] {
  const file = FILES[kind];
  return Array.from(
    findOcPaths(parseDocument(text, kind), parseOcPath(`oc://${file}/${pattern}`)),
    ({ path, match }) => {
      const place = path.slice(`oc://${file}/`.length);
      return match.kind === 'leaf' ? `${place} = ${match.valueText}` : place;
    },
  );
}

const MODELS = '{"m": {"a/b": {"alias": "x", "max": 128000}, "c.d": {"alias": "y", "max": "5"}, "e": {"alias": null}}}';
const LINES = '{"event":"start","n":1}\n\nbroken\n{"event":"action","n":null}\n{"event":"end","u":{"in":200}}\n';
const NOTES =
  '## A\n\n- foo: 1\n- foo: 2\n- bar: 3\n\n## B\n\n- send_email: on\n- plain words\n  - sub: x\n\n## A\n\n- last: 4\n';

describe('find', () => {
  it.each<[string, KindName, string, string, string[]]>([
    [
      'a wildcard, with keys that need quotes',
      'jsonc',
      MODELS,
      'm/*/alias',
      ['m/"a/b"/alias = x', 'm/"c.d"/alias = y', 'm/e/alias = null'],
    ],
    ['a predicate at its boundary', 'jsonc', MODELS, 'm/[max>=128000]', ['m/"a/b"']],
    ['a predicate on a number that is text', 'jsonc', MODELS, 'm/[max<6]', ['m/"c.d"']],
    ['a predicate on null', 'jsonc', MODELS, 'm/[alias=null]', ['m/e']],
    ['a predicate that a missing key never satisfies', 'jsonc', MODELS, 'm/[max!=1]', ['m/"a/b"', 'm/"c.d"']],
    ['a predicate that a container never satisfies', 'jsonc', '{"a": {"k": {}}}', '[k!=1]', []],
    [
      'a dotted key, first literal, then as a way down',
      'jsonc',
      '[{"u.in": 5}, {"u": {"in": 6}}]',
      '[u.in>=5]',
      ['0', '1'],
    ],
    ['a union in its written order, nothing twice', 'jsonc', '{"a": 1, "b": 2}', '{b,a,b,*}', ['b = 2', 'a = 1']],
    ['a union of positions', 'jsonl', LINES, '{L1,$last}/event', ['L1/event = start', 'L5/event = end']],
    ['a union with quoted alternatives', 'jsonc', '{"a,b": 1, "c": 2}', '{"a,b",c}', ['a,b = 1', 'c = 2']],
    [
      'a union of names with reserved characters and blanks',
      'jsonc',
      '{"a&b": 1, "c?d": 2, "e f": 3}',
      '{e f,c?d,a&b}',
      ['"e f" = 3', '"c?d" = 2', '"a&b" = 1'],
    ],
    [
      'a key that carries the redaction mark',
      'jsonc',
      '{"__OPENCLAW_REDACTED__k": 1, "z": 2}',
      '*',
      ['$"\\u005f_OPENCLAW_REDACTED__k" = 1', 'z = 2'],
    ],
    [
      'a key that carries the redaction mark by that address',
      'yaml',
      '__OPENCLAW_REDACTED__k: 1\n',
      '$"\\u005f_OPENCLAW_REDACTED__k"',
      ['$"\\u005f_OPENCLAW_REDACTED__k" = 1'],
    ],
    ['everything below, each place once', 'jsonc', '{"a": {"b": [1]}}', 'a/**', ['a', 'a/b', 'a/b.0 = 1']],
    [
      'everything below through several stars, each place once',
      'jsonc',
      '{"a": {"b": [1]}}',
      '**/**/**',
      ['', 'a', 'a.b', 'a.b.0 = 1'].map((name) => name),
    ],
    [
      'a name at any depth',
      'jsonc',
      '{"t": 1, "a": {"t": 2, "b": {"t": 3}}}',
      '**/t',
      ['t = 1', 'a/t = 2', 'a.b/t = 3'],
    ],
    ['duplicate keys, each by its number', 'jsonc', '{"k": 1, "k": 2, "z": 3}', '*', ['#0 = 1', '#1 = 2', 'z = 3']],
    ['the last declared key', 'jsonc', '{"a": 1, "$last": 2, "z": 3}', '$last', ['z = 3']],
    ['a literal key that looks like a position', 'jsonc', '{"a": 1, "$last": 2, "z": 3}', '"$last"', ['"$last" = 2']],
    ['an ordinal', 'jsonc', '{"a": 1, "b": 2}', '#1', ['b = 2']],
    ['lines that hold a value', 'jsonl', LINES, '*/event', ['L1/event = start', 'L4/event = action', 'L5/event = end']],
    ['a name at any depth of a log', 'jsonl', LINES, '**/in', ['L5.u/in = 200']],
    ['null in a log', 'jsonl', LINES, '[n=null]/event', ['L4/event = action']],
    ['a dotted key in a log', 'jsonl', LINES, '[u.in>100]/event', ['L5/event = end']],
    ['a predicate without hits', 'jsonl', LINES, '[event=missing]', []],
    ['a regular expression as literal text', 'jsonl', '{"n":"abc"}\n{"n":"a.*"}\n', '[n=a.*]', ['L2']],
    ['duplicate headings by number', 'md', NOTES, '*', ['#0', 'b', '#2']],
    ['items of a plain name, the first of duplicates', 'md', NOTES, 'a/*', ['a/#0', 'a/#1', 'a/bar']],
    ['items of the second of duplicate headings', 'md', NOTES, '#2/*', ['#2/last']],
    ['items of every section', 'md', NOTES, '**/send-email', ['b/send-email']],
    ['fields', 'md', NOTES, '{b}/*/*', ['b/send-email/send_email = on', 'b/plain-words/sub = x']],
    ['below fields, in fields', 'md', '## B\n- a\n  - b\n    - c\n', '**/*', ['b/a', 'b/a.b', 'b/a/b.c']],
    ['sections that hold an item', 'md', NOTES, '[last=4]', ['#2']],
    ['items by the value of their field', 'md', NOTES, 'a/[foo=2]', ['a/#1']],
    [
      'steps by a field',
      'yaml',
      'steps:\n  - id: a\n    on: true\n  - id: b\n    on: false\n',
      'steps/[on=true]/id',
      ['steps/0/id = a'],
    ],
    ['through an alias', 'yaml', 'base: &b {x: 1}\nuse: *b\n', '*/x', ['base/x = 1', 'use/x = 1']],
    [
      'through a merge key',
      'yaml',
      'base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\n',
      'use/{x,y}',
      ['use/x = 1', 'use/y = 3'],
    ],
    ['the second document', 'yaml', 'a: 1\n---\na: 2\n', '[doc].1/a', ['[doc].1/a = 2']],
  ])('finds %s', (_name, kind, text, pattern, expected) => {
    const wanted = expected.map((name) =>
      name === '' ? `oc://${FILES[kind]}`.slice(`oc://${FILES[kind]}/`.length) : name,
    );
    expect(found(kind, text, pattern)).toEqual(wanted);
  });

  it('descends hundreds of levels', () => {
    const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
    expect(found('jsonc', deep, '**').length).toBe(200);
  });

  it('keeps the scope of the pattern', () => {
    const matches = [...findOcPaths(parseDocument('{"a":1}', 'jsonc'), parseOcPath('oc://x.json/*?session=daily'))];
    expect(matches.map(({ path }) => path)).toEqual(['oc://x.json/a?session=daily']);
  });
});

describe('resolve', () => {
  const at = (kind: KindName, text: string, address: string) => {
    const match = resolveOcPath(
      parseDocument(text, kind),
      parseOcPath(`oc://${FILES[kind]}${address === '' ? '' : `/${address}`}`),
    );
    if (match === undefined) return undefined;
    if (match.kind === 'leaf') return `${match.valueText} (${match.leafType}) L${match.line}`;
    return `${match.kind} ${match.kind === 'insertion-point' ? match.container : match.descriptor} L${match.line}`;
  };

  it.each<[KindName, string, string, string | undefined]>([
    ['jsonc', '{"-5028303500": "x"}', '-5028303500', 'x (string) L1'],
    ['jsonc', '[1, 2]', '01', undefined],
    ['jsonc', '[1, 2]', '-1', undefined],
    ['jsonc', '{\n"a":\n{"b": 1}}', 'a', 'node jsonc-object L2'],
    ['jsonc', '{"a": 12345678901234567890}', 'a', '12345678901234567890 (number) L1'],
    ['jsonc', '{"a": 1.10}', 'a', '1.10 (number) L1'],
    ['jsonc', '\n{"a": {}}', 'a/+k', 'insertion-point jsonc-object L2'],
    ['jsonc', '{"a": 1}', 'a/+k', undefined],
    ['jsonc', '{"a": 1}', '', 'root jsonc-object L1'],
    ['jsonl', LINES, 'L2', 'node jsonl-line L2'],
    ['jsonl', LINES, 'L2/event', undefined],
    ['jsonl', LINES, 'L04/event', 'action (string) L4'],
    ['jsonl', LINES, '$last/event', 'end (string) L5'],
    ['jsonl', LINES, '$first/n', '1 (number) L1'],
    ['jsonl', 'x\n\n', '$last', undefined],
    ['jsonl', LINES, '+', 'insertion-point jsonl-file L1'],
    ['yaml', 'a: 1\n1: one\n', '1', 'one (string) L2'],
    ['yaml', 'limits:\n  - x\n', 'limits/00', undefined],
    ['yaml', 'a: 1\n', '+owner', 'insertion-point yaml-map L1'],
    ['yaml', 'steps:\n  - id: fetch\n', 'steps', 'node yaml-seq L2'],
    ['yaml', 'empty:\nnext: ~\n', 'empty', 'null (null) L1'],
    ['yaml', 'a: 0x1F\nb: yes\nc: 2001-01-01\n', 'a', '0x1F (number) L1'],
    ['yaml', 'a: 0x1F\nb: yes\nc: 2001-01-01\n', 'b', 'yes (string) L2'],
    ['md', NOTES, 'BOUNDARIES', undefined],
    ['md', '## Runtime safety\n', '"Runtime safety"', 'node md-block L1'],
    ['md', '## Runtime safety\n', 'Runtime_Safety', 'node md-block L1'],
    ['md', '## 工具\n\n- 名: 值\n', '工具/名/名', '值 (string) L3'],
    ['md', NOTES, 'a/#99', undefined],
    ['md', NOTES, 'a/$last/bar', '3 (string) L5'],
    ['md', '- [ ] todo\n', '[preamble]/todo/[checked]', 'false (boolean) L1'],
    ['md', '---\nname: x\nmeta:\n  deep: [1, two]\n---\n', '[frontmatter]/meta.deep.1', 'two (string) L4'],
    ['md', NOTES, 'a/+', 'insertion-point md-section L1'],
  ])('%s %j at %s is %s', (kind, text, address, expected) => {
    expect(at(kind, text, address)).toBe(expected);
  });
});

describe('the work of a pattern', () => {
  const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  /** How often a find calls `children`. */
  function questions(text: string, pattern: string): number {
    const document = parseDocument(text, 'jsonc');
    let count = 0;
    const counting = Object.assign(Object.create(document) as typeof document, {
      children: (...asked: Parameters<typeof document.children>) => {
        count++;
        return document.children(...asked);
      },
      child: (...asked: Parameters<typeof document.child>) => {
        count++;
        return document.child(...asked);
      },
    });
    for (const _ of findOcPaths(counting, parseOcPath(`oc://x.json/${pattern}`)));
    return count;
  }

  it.each([
    ['**.**.**.**/**.**.**.**/**.**.**.z', 12],
    ['**.a.**.a.**.a.**/**.a.**.a.**.a', 13],
    [Array.from({ length: 7 }, () => '{a,a,a,a,a,a,a,a,a,a,a}').join('.'), 77],
  ])('S-2: is at most the places times the steps: %s', (pattern, steps) => {
    const levels = 40;
    expect(questions(nested(levels), pattern)).toBeLessThanOrEqual(2 * (levels + 1) * steps);
  });
});
