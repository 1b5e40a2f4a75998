import { describe, expect, it } from 'vitest';
import { writeJson } from '../../../../src/text/json/value.ts';
import { parseYaml, yaml, yamlKind } from '../../../../src/text/kinds/yaml/yaml.ts';
import { positionAt } from '../../../../src/text/lines/position.ts';
import { at, type Yaml } from './edits.ts';

const json = (document: Yaml, ...path: string[]) => writeJson(document.value(at(document, ...path)), { indent: '' });
const line = (document: Yaml, ...path: string[]) => positionAt(document.text, at(document, ...path).anchor).line;

describe('a workflow', () => {
  const document = parseYaml(
    'name: inbox-triage\nsteps:\n  - id: fetch\n    command: gmail.search\n  - id: classify\n    env:\n      LEVEL: info\nempty:\n',
  );

  it('has the lines that OpenClaw reports', () => {
    expect({
      name: line(document, 'name'),
      steps: line(document, 'steps'),
      id: line(document, 'steps', '1', 'id'),
      env: line(document, 'steps', '1', 'env'),
      empty: line(document, 'empty'),
    }).toEqual({ name: 1, steps: 3, id: 5, env: 7, empty: 8 });
  });

  it('has shapes, descriptors and insertion points', () => {
    const tell = (...path: string[]) => {
      const place = at(document, ...path);
      return [place.shape, place.descriptor, document.container(place)];
    };
    expect([tell(), tell('steps'), tell('steps', '0'), tell('name')]).toEqual([
      ['root', 'yaml-map', 'yaml-map'],
      ['container', 'yaml-seq', 'yaml-seq'],
      ['container', 'yaml-map', 'yaml-map'],
      ['leaf', 'yaml-scalar', undefined],
    ]);
  });

  it('finds only canonical indexes', () => {
    const steps = at(document, 'steps');
    expect(
      ['0', '1', '01', '-1', '2', '+1', '1.0'].map((name) => document.child(steps, 'item', name, false)?.name),
    ).toEqual(['0', '1', undefined, undefined, undefined, undefined, undefined]);
  });

  it('reads subtrees as JSON and as raw text', () => {
    expect(json(document, 'steps', '1')).toBe('{"id":"classify","env":{"LEVEL":"info"}}');
    expect(document.raw(at(document, 'steps', '1'))).toBe('    id: classify\n    env:\n      LEVEL: info');
    expect(document.raw(at(document, 'name'))).toBe('inbox-triage');
  });

  it('probes a key, then a dotted path', () => {
    const step = at(document, 'steps', '1');
    expect([
      document.probe(step, 'id'),
      document.probe(step, 'env.LEVEL'),
      document.probe(step, 'env'),
      document.probe(step, 'no.no'),
    ]).toEqual([
      { leafType: 'string', valueText: 'classify' },
      { leafType: 'string', valueText: 'info' },
      undefined,
      undefined,
    ]);
  });
});

describe('scalars', () => {
  it.each([
    ['yes', 'string', 'yes', '"yes"'],
    ['0x1F', 'number', '0x1F', '31'],
    ['0o17', 'number', '0o17', '15'],
    ['017', 'number', '017', '17'],
    ['+12', 'number', '+12', '12'],
    ['-.5', 'number', '-.5', '-0.5'],
    ['1.', 'number', '1.', '1'],
    ['1.10', 'number', '1.10', '1.10'],
    ['1e3', 'number', '1e3', '1e3'],
    ['9007199254740993123', 'number', '9007199254740993123', '9007199254740993123'],
    ['0xFFFFFFFFFFFFFFFF', 'number', '0xFFFFFFFFFFFFFFFF', '18446744073709551615'],
    ['.inf', 'number', '.inf', '".inf"'],
    ['1_000', 'string', '1_000', '"1_000"'],
    ['2026-11-15', 'string', '2026-11-15', '"2026-11-15"'],
    ['TRUE', 'boolean', 'true', 'true'],
    ['~', 'null', 'null', 'null'],
    ['', 'null', 'null', 'null'],
    ['"a\\tb\\x41\\u00e9"', 'string', 'a\tbAé', '"a\\tbAé"'],
    ["'it''s'", 'string', "it's", '"it\'s"'],
    ['|+\n  x\n\n', 'string', 'x\n\n\n', '"x\\n\\n\\n"'],
    ['>\n  a\n  b\n\n  c\n   d\n  e', 'string', 'a b\nc\n d\ne\n', '"a b\\nc\\n d\\ne\\n"'],
    ['!!str 5', 'string', '5', '"5"'],
    ['!own 5', 'string', '5', '"5"'],
    ['one\n  two', 'string', 'one two', '"one two"'],
  ])('%j is a %s', (source, leafType, valueText, asJson) => {
    const document = parseYaml(`k: ${source}\n`);
    expect({ leaf: document.leaf(at(document, 'k')), json: json(document, 'k') }).toEqual({
      leaf: { leafType, valueText },
      json: asJson,
    });
  });
});

describe('keys', () => {
  it('are compared as text', () => {
    const document = parseYaml('1: one\ntrue: yes\n"a b": 2\n\'c\': 3\n? d\n: 4\n: 5\n? [x, y]\n: 6\n');
    expect([...document.children(document.root, 'item')].map((place) => place.name)).toEqual([
      '1',
      'true',
      'a b',
      'c',
      'd',
      '',
      '[x, y]',
    ]);
    expect(['1', 'a b', 'd', '', '[x, y]'].map((name) => json(document, name))).toEqual(['"one"', '2', '4', '5', '6']);
  });

  it('can be repeated: the first wins, both are listed', () => {
    const document = parseYaml('a: 1\nb: 2\na: 3\n');
    expect(json(document, 'a')).toBe('1');
    expect([...document.children(document.root, 'item')].map(({ name, ordinal }) => [name, ordinal])).toEqual([
      ['a', 0],
      ['b', 1],
      ['a', 2],
    ]);
  });
});

describe('aliases and merge keys', () => {
  it('are followed', () => {
    const document = parseYaml('base: &b {x: 1, y: {z: 2}}\nuse: *b\nk: &s text\nl: [*s, *b]\n');
    expect([json(document, 'use', 'y', 'z'), json(document, 'l')]).toEqual(['2', '["text",{"x":1,"y":{"z":2}}]']);
    expect(line(document, 'use')).toBe(1);
  });

  it('add their keys after the own keys, which win', () => {
    const document = parseYaml(
      'a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc:\n  <<: [*a, *b]\n  y: own\n  w: 0\nd: {<<: *a}\n',
    );
    expect([json(document, 'c'), json(document, 'd')]).toEqual(['{"y":"own","w":0,"x":1,"z":4}', '{"x":1,"y":2}']);
    expect([...document.children(at(document, 'c'), 'item')].map((place) => place.ordinal)).toEqual([0, 1, 2, 3]);
  });

  it('read a quoted or scalar << as a normal key', () => {
    expect(json(parseYaml('"<<": {a: 1}\n'))).toBe('{"<<":{"a":1}}');
    expect(json(parseYaml('<<: text\n'))).toBe('{"<<":"text"}');
  });

  it('can be a key', () => {
    const document = parseYaml('&k name: 1\nother: *k\n*k : 2\n');
    expect(json(document)).toBe('{"name":1,"other":"name","name":2}');
  });

  it.each([
    ['without an anchor', 'a: *x\n', 3, 'the alias *x has no anchor &x before it'],
    ['inside its own anchor', 'a: &x\n  b: *x\n', 11, 'the alias *x is inside its own anchor'],
  ])('are a problem %s', (_what, text, offset, message) => {
    expect(parseYaml(text).problems).toEqual([{ code: 'OC_YAML_PARSE_FAILED', offset, message }]);
  });

  it('are a problem if they expand too much', () => {
    const bomb = [
      'a0: &a0 x',
      ...Array.from({ length: 12 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`),
    ].join('\n');
    expect(parseYaml(bomb).problems.map((problem) => problem.message)).toEqual([
      'the aliases expand to more than 1000000 values',
    ]);
  });
});

describe('documents', () => {
  const document = parseYaml('a: 1\n---\na: 2\nb: [x]\n---\njust text\n');

  it('are reached by [doc]; a plain path means the first', () => {
    expect([
      json(document, 'a'),
      json(document, '[doc]', '0', 'a'),
      json(document, '[doc]', '1', 'b', '0'),
      json(document, '[doc]', '2'),
    ]).toEqual(['1', '1', '"x"', '"just text"']);
  });

  it('are listed by [doc], whose name is a token', () => {
    const stream = at(document, '[doc]');
    expect([
      stream.token,
      stream.shape,
      [...document.children(stream, 'item')].map((place) => [place.name, place.shape]),
    ]).toEqual([
      true,
      'container',
      [
        ['0', 'container'],
        ['1', 'container'],
        ['2', 'leaf'],
      ],
    ]);
  });

  it('do not hide a quoted key of that name', () => {
    const own = parseYaml('"[doc]": 5\n');
    expect(own.leaf(own.child(own.root, 'section', '[doc]', true)!)).toEqual({ leafType: 'number', valueText: '5' });
  });

  it.each(['', '\uFEFF', '# only\n', '---\n'])('can be empty: %j', (text) => {
    const empty = parseYaml(text);
    expect([
      empty.problems,
      empty.root.shape,
      empty.container(empty.root),
      [...empty.children(empty.root, 'section')],
    ]).toEqual([[], 'root', 'yaml-map', []]);
  });
});

describe('malformed text', () => {
  const TOO_DEEP = 'more than 256 levels, aliases followed';

  it.each([
    ['a: [1\n', 6],
    ['a: "x\n', 6],
    ['a: b: c\n', 3],
    ['a:\n\t- b\n', 3],
    ['- a\nb: 1\n', 4],
    ['a: 1\n  b: 2\n', 3],
  ])('%j has a problem', (text, offset) => {
    expect(parseYaml(text).problems[0]).toMatchObject({ code: 'OC_YAML_PARSE_FAILED', offset });
  });

  it.each([
    ['block', Array.from({ length: 300 }, (_, n) => `${' '.repeat(n)}a:\n`).join(''), TOO_DEEP],
    ['flow', `${'['.repeat(300)}${']'.repeat(300)}`, TOO_DEEP],
    ['very deep flow', '['.repeat(100_000), TOO_DEEP],
    [
      'aliases in aliases',
      Array.from(
        { length: 4 },
        (_, n) => `a${n}: &a${n} ${'['.repeat(100)}${n ? `*a${n - 1}` : 'x'}${']'.repeat(100)}\n`,
      ).join(''),
      TOO_DEEP,
    ],
  ])('includes too deep nesting: %s', (_what, text, message) => {
    expect(parseYaml(text).problems[0]).toMatchObject({ code: 'OC_YAML_PARSE_FAILED', message });
  });
});

describe('the library', () => {
  it('is not loaded for a text that the scanner proves', () => {
    const kind = yamlKind(() => {
      throw new Error('loaded');
    });
    expect(kind.parse('a: 1\nb: [x, {y: z}]\nc: |\n  text\n').problems).toEqual([]);
    expect(() => kind.parse('a: &x 1\n')).toThrow('loaded');
  });

  it('is loaded by the kind by default', () => {
    expect([yaml.name, yaml.parse('a: &x 1\n').problems]).toEqual(['yaml', []]);
  });
});
