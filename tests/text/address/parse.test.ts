import { describe, expect, it } from 'vitest';
import { formatOcPath, formatSegment, OcPathError, parseOcPath, stepsOf } from '../../../src/text/address/index.ts';
import { anyCharacter, fc, runs } from '../../support/property.ts';

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof OcPathError) return error.code;
    throw error;
  }
  return 'fine';
}

describe('parseOcPath', () => {
  it.each([
    ['oc://AGENTS.md', { file: 'AGENTS.md' }],
    ['oc://AGENTS.md/Tools/$last/risk', { file: 'AGENTS.md', section: 'Tools', item: '$last', field: 'risk' }],
    ['oc://"skills/email-drafter"/Tools/$last', { file: 'skills/email-drafter', section: 'Tools', item: '$last' }],
    ['oc://AGENTS.md/Tools?session=cron-daily', { file: 'AGENTS.md', section: 'Tools', session: 'cron-daily' }],
    ['oc://X.md?foo=bar&session=s&baz=qux', { file: 'X.md', session: 's' }],
    ['oc://X.md?session=&session=b', { file: 'X.md', session: 'b' }],
    ['oc://X.md?nokey', { file: 'X.md' }],
    ['oc://config.jsonc/"foo?bar"?session=daily', { file: 'config.jsonc', section: '"foo?bar"', session: 'daily' }],
    ['oc://X/[id=foo/bar]/cmd', { file: 'X', section: '[id=foo/bar]', item: 'cmd' }],
    ['oc://x.json/a/b/c/d/e', { file: 'x.json', section: 'a.b.c', item: 'd', field: 'e' }],
    ['oc://x.yaml/a/b/c/d/e', { file: 'x.yaml', section: 'a.b.c', item: 'd', field: 'e' }],
    ['oc://x.jsonl/L1/b/c/d/e', { file: 'x.jsonl', section: 'L1.b.c', item: 'd', field: 'e' }],
    ['oc://"%2E%2E/foo"/s', { file: '%2E%2E/foo', section: 's' }],
    ['oc://.mcp.json/a', { file: '.mcp.json', section: 'a' }],
    ['\uFEFFoc://X/Y', { file: 'X', section: 'Y' }],
    ['oc://x.json/$"a\\"b"/c', { file: 'x.json', section: '$"a\\"b"', item: 'c' }],
    ['oc://x.json/$"a/b.c?"', { file: 'x.json', section: '$"a/b.c?"' }],
    ['oc://x.json/{a,"b,c"}', { file: 'x.json', section: '{a,"b,c"}' }],
  ])('reads %s', (path, expected) => {
    expect(parseOcPath(path)).toEqual(expected);
  });

  it.each([
    ['', 'OC_PATH_MISSING_SCHEME'],
    ['OC://X', 'OC_PATH_MISSING_SCHEME'],
    ['oc://', 'OC_PATH_EMPTY'],
    ['oc:///etc/passwd', 'OC_PATH_EMPTY_SEGMENT'],
    ['oc://X//a', 'OC_PATH_EMPTY_SEGMENT'],
    ['oc://X/a/', 'OC_PATH_EMPTY_SEGMENT'],
    ['oc://X/a..b', 'OC_PATH_EMPTY_SUB_SEGMENT'],
    ['oc://X/.a', 'OC_PATH_EMPTY_SUB_SEGMENT'],
    ['oc://X/a.', 'OC_PATH_EMPTY_SUB_SEGMENT'],
    ['oc://./a.md/s', 'OC_PATH_EMPTY_SUB_SEGMENT'],
    ['oc://"/etc/passwd"/s', 'OC_PATH_ABSOLUTE_FILE'],
    ['oc://"C:/Windows/x"/s', 'OC_PATH_ABSOLUTE_FILE'],
    ['oc://$"\\\\\\\\srv\\\\share"/s', 'OC_PATH_ABSOLUTE_FILE'],
    ['oc://"foo/../bar"/s', 'OC_PATH_PARENT_TRAVERSAL'],
    ['oc://../x', 'OC_PATH_PARENT_TRAVERSAL'],
    ['oc://X/"unterminated', 'OC_PATH_UNBALANCED'],
    ['oc://X/[a=b', 'OC_PATH_UNBALANCED'],
    ['oc://X/{a,b', 'OC_PATH_UNBALANCED'],
    ['oc://X/a]', 'OC_PATH_UNBALANCED'],
    ['oc://X/"a\\\\b"', 'OC_PATH_UNQUOTABLE'],
    ['oc://X/"a"b', 'OC_PATH_UNQUOTABLE'],
    ['oc://X/$"\\q"', 'OC_PATH_UNQUOTABLE'],
    ['oc://X/[]', 'OC_PATH_MALFORMED_PREDICATE'],
    ['oc://X/[=v]', 'OC_PATH_MALFORMED_PREDICATE'],
    ['oc://X/[k=]', 'OC_PATH_MALFORMED_PREDICATE'],
    ['oc://X/[a=b]c', 'OC_PATH_MALFORMED_PREDICATE'],
    ['oc://X/{}', 'OC_PATH_MALFORMED_UNION'],
    ['oc://X/{a,}', 'OC_PATH_MALFORMED_UNION'],
    ['oc://X/{a,,b}', 'OC_PATH_MALFORMED_UNION'],
    ['oc://X/{a}b', 'OC_PATH_MALFORMED_UNION'],
    ['oc://X/a&b', 'OC_PATH_RESERVED_CHAR'],
    ['oc://X/a%b', 'OC_PATH_RESERVED_CHAR'],
    ['oc://a?.md/x', 'OC_PATH_RESERVED_CHAR'],
    ['oc://X?session=cron%2Fdaily', 'OC_PATH_RESERVED_CHAR'],
    ['oc://X/foo /bar', 'OC_PATH_WHITESPACE'],
    ['oc://X/foo\u00a0bar', 'OC_PATH_WHITESPACE'],
    ['oc://a b.md', 'OC_PATH_WHITESPACE'],
    ['oc://X/foo\tbar', 'OC_PATH_CONTROL_CHAR'],
    ['oc://X?session=daily\u0000cron', 'OC_PATH_CONTROL_CHAR'],
    ['oc://X?other=\u007f', 'OC_PATH_CONTROL_CHAR'],
    ['oc://X.md/a/b/c/d/e', 'OC_PATH_TOO_DEEP'],
    [`oc://X/${Array.from({ length: 65 }, () => 'a').join('.')}`, 'OC_PATH_TOO_DEEP'],
    [`oc://x.json/${Array.from({ length: 300 }, () => 'a').join('/')}`, 'OC_PATH_TOO_DEEP'],
    [`oc://x.json/${Array.from({ length: 257 }, () => 'a').join('/')}`, 'OC_PATH_TOO_DEEP'],
    [`oc://x.json/${Array.from({ length: 256 }, () => 'a').join('/')}`, 'fine'],
    ['oc://X/{a&b,c%d,e?f,g h}/i', 'fine'],
    ['oc://X/{a, b}', 'OC_PATH_WHITESPACE'],
    [`oc://X/${'a'.repeat(4089)}`, 'fine'],
    [`oc://X/${'a'.repeat(4090)}`, 'OC_PATH_TOO_LONG'],
    [`oc://X/${'界'.repeat(1400)}`, 'OC_PATH_TOO_LONG'],
    ['oc://X/[a!b]', 'fine'],
    ['oc://X/***', 'fine'],
    ['oc://X/#', 'fine'],
    ['oc://X/+/a', 'fine'],
    ['oc://*.md/a', 'fine'],
  ])('judges %j as %s', (path, code) => {
    expect(codeOf(() => parseOcPath(path))).toBe(code);
  });

  it('refuses what is not a string', () => {
    expect(codeOf(() => parseOcPath(5 as unknown as string))).toBe('OC_PATH_NOT_STRING');
  });

  it('reads NFC and NFD spellings of a bare name alike, and leaves quoted names as they are', () => {
    expect(parseOcPath('oc://X/cafe\u0301')).toEqual(parseOcPath('oc://X/caf\u00e9'));
    expect(parseOcPath('oc://X/"cafe\u0301"').section).toBe('"cafe\u0301"');
  });

  it('cuts a long echoed input without splitting a surrogate pair', () => {
    const error = (() => {
      try {
        parseOcPath(`x${'😀'.repeat(150)}`);
      } catch (thrown) {
        return thrown as Error;
      }
      throw new Error('accepted');
    })();
    expect(error.message.endsWith('…')).toBe(true);
    expect(error.message).not.toMatch(/[\uD800-\uDFFF]/u);
  });
});

describe('steps', () => {
  it('reads every form of a sub-segment', () => {
    const steps = stepsOf(parseOcPath('oc://x.json/a."b.c".$"d\\"".*.**/{a,$last,#1}.[k>=2].$first/#3.+7.+k.+"x.y".+'));
    expect(steps.map((step) => step.sub)).toEqual([
      { type: 'literal', text: 'a', quoted: false },
      { type: 'literal', text: 'b.c', quoted: true },
      { type: 'literal', text: 'd"', quoted: true },
      { type: 'any' },
      { type: 'deep' },
      {
        type: 'union',
        alternatives: [{ type: 'literal', text: 'a', quoted: false }, { type: 'last' }, { type: 'ordinal', index: 1 }],
      },
      { type: 'predicate', predicate: { key: 'k', op: '>=', value: '2' } },
      { type: 'first' },
      { type: 'ordinal', index: 3 },
      { type: 'insert', index: 7 },
      { type: 'insert', key: 'k' },
      { type: 'insert', key: 'x.y' },
      { type: 'insert' },
    ]);
  });
});

describe('formatOcPath', () => {
  it.each([
    [{ file: 'skills/email-drafter', section: 'Tools', item: '-1' }, 'oc://"skills/email-drafter"/Tools/-1'],
    [
      { file: 'c.json', section: 'models', item: 'github-copilot/claude-opus-4-7' },
      'oc://c.json/models/"github-copilot/claude-opus-4-7"',
    ],
    [{ file: 'a"b.md', section: 's' }, 'oc://$"a\\"b.md"/s'],
    [{ file: '..$', section: 's' }, 'oc://"..$"/s'],
    [{ file: 'a..md', section: 's' }, 'oc://"a..md"/s'],
    [{ file: '.mcp.json', section: 's' }, 'oc://.mcp.json/s'],
  ])('writes %j', (path, expected) => {
    expect(formatOcPath(path)).toBe(expected);
    expect(parseOcPath(expected).file).toBe(path.file);
  });

  it.each([
    [{ file: '' }, 'OC_PATH_FILE_REQUIRED'],
    [{ file: 'x', item: 'a' }, 'OC_PATH_NESTING'],
    [{ file: 'x', field: 'a' }, 'OC_PATH_NESTING'],
    [{ file: 'x', section: 'foo.' }, 'OC_PATH_EMPTY_SUB_SEGMENT'],
    [{ file: 'x', section: '.foo' }, 'OC_PATH_EMPTY_SUB_SEGMENT'],
    [{ file: 'x', section: 'a\u0001' }, 'OC_PATH_CONTROL_CHAR'],
    [{ file: 'x', section: 'a"b' }, 'OC_PATH_UNQUOTABLE'],
    [{ file: '../x' }, 'OC_PATH_PARENT_TRAVERSAL'],
    [{ file: 'x', session: 'a&b' }, 'OC_PATH_RESERVED_CHAR'],
    [{ file: 'x', section: 'a'.repeat(5000) }, 'OC_PATH_TOO_LONG'],
  ])('refuses %j with %s', (path, code) => {
    expect(codeOf(() => formatOcPath(path))).toBe(code);
  });

  it('refuses an address that carries the redaction mark', () => {
    expect(() => formatOcPath({ file: 'x', section: 'a__OPENCLAW_REDACTED__' })).toThrow(/redaction mark/);
  });

  it('formats every name so that it parses back to the same name', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 30 }), (name) => {
        fc.pre(!name.includes('__OPENCLAW_REDACTED__'));
        const [step, more] = stepsOf(parseOcPath(`oc://x.json/${formatSegment(name)}`));
        expect(more).toBeUndefined();
        expect(step?.sub).toMatchObject({ type: 'literal', text: name });
      }),
      { numRuns: runs(2000) },
    );
  });

  it.each([
    '*',
    '**',
    '$first',
    '$last',
    '#3',
    '+',
    '+x',
    '+1',
    '',
    '[k=v]',
    '{a,b}',
    '[frontmatter]',
    'a"b',
    'a\\b',
    'L1',
    '\u0000',
    '\ud800',
  ])('spells the odd key %j so that it is read as a key', (name) => {
    const [step] = stepsOf(parseOcPath(`oc://x.json/${formatSegment(name)}`));
    expect(step?.sub).toMatchObject({ type: 'literal', text: name });
  });

  it('is the identity on canonical paths', () => {
    const sub = fc.oneof(
      fc.string({ minLength: 0, maxLength: 8 }).map(formatSegment),
      fc.constantFrom('*', '**', '$last', '#2', '+', '+k', '[a=b]', '[a.b>=2]', '{a,b}', '"q.r"'),
    );
    const slot = fc.array(sub, { minLength: 1, maxLength: 3 }).map((subs) => subs.join('.'));
    fc.assert(
      fc.property(
        fc.array(slot, { maxLength: 3 }),
        fc.option(fc.constantFrom('cron-daily', 'a/b'), { nil: undefined }),
        (slots, session) => {
          const path = `oc://${['x.md', ...slots].join('/')}${session === undefined ? '' : `?session=${session}`}`;
          expect(formatOcPath(parseOcPath(path))).toBe(path);
        },
      ),
      { numRuns: runs(1000) },
    );
  });
});
