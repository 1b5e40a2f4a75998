import { describe, expect, it } from 'vitest';
import { parseOcPath } from '../../../src/text/address/index.ts';
import { toJson } from '../../../src/text/json/data.ts';
import type { KindName, NewValue } from '../../../src/text/kind.ts';
import { parseDocument } from '../../../src/text/path/document.ts';
import { deleteOcPath, setOcPath } from '../../../src/text/path/set.ts';

const FILES: Readonly<Record<KindName, string>> = {
  md: 'x.md',
  jsonc: 'x.json',
  jsonl: 'x.jsonl',
  yaml: 'x.yaml',
  dotenv: 'x.env',
};

function set(kind: KindName, text: string, address: string, value: NewValue | string, create = false): string {
  const outcome = setOcPath(parseDocument(text, kind), parseOcPath(`oc://${FILES[kind]}/${address}`), value, {
    create,
  });
  return outcome.ok ? outcome.text : outcome.reason;
}

describe('set', () => {
  it.each<[KindName, string, string, string, string]>([
    ['md', 'Hello\n', '[frontmatter]/+name', 'x', '---\nname: x\n---\nHello\n'],
    ['md', '## A\n\n- plain words\n', 'a/plain-words/key', 'x', 'no-item-kv'],
    ['md', '## A\n\n- a: 1\n\n> - q: r\n', 'a/+', 'new', '## A\n\n- a: 1\n- new\n\n> - q: r\n'],
    ['md', '## A\n\n- k: v\n', 'a/k/other', 'x', 'unresolved'],
    ['md', '## A\n', 'a', 'x', 'not-writable'],
    ['md', '---\nname: a\n---\n', '[frontmatter]/+name', 'b', 'exists'],
    [
      'md',
      '---\r\nname: a # c\r\nlist: [1,  2]\r\n---\r\n\r\n## T ##\r\n* k: v',
      't/k/k',
      'w',
      '---\r\nname: a # c\r\nlist: [1,  2]\r\n---\r\n\r\n## T ##\r\n* k: w',
    ],
    [
      'jsonl',
      '{ "a": 1.10, "id": 12345678901234567890 }\nnot json\n{"b":2}\n',
      'L3/b',
      '3',
      '{ "a": 1.10, "id": 12345678901234567890 }\nnot json\n{"b":3}\n',
    ],
    ['jsonl', '{"a":1}\r\n', '+', '{"b":2}', '{"a":1}\r\n{"b":2}\r\n'],
    ['jsonl', '{"a":1}', '+', '{"b":2}', '{"a":1}\n{"b":2}'],
    ['jsonl', '', '+', '{"b":2}', '{"b":2}\n'],
    ['jsonl', '{"a":1}\n\n', 'L2/a', '1', 'not-a-value-line'],
    ['jsonl', '{"a":1}\n', 'L99/a', '1', 'unresolved'],
    ['jsonl', '{"a":1}\n1.10\n', 'L2/a', '1', 'unresolved'],
    ['jsonl', '{"a":{"github/repo":"x"}}\n', 'L1/a/"github/repo"', 'y', '{"a":{"github/repo":"y"}}\n'],
    ['yaml', 'a: 1 # c\nb:\n- x   # keep\n', 'a', '2', 'a: 2 # c\nb:\n- x   # keep\n'],
    ['yaml', 'items: []\n', 'items/+', 'a', 'items: [a]\n'],
    ['yaml', 'a: [1, 2\n', 'a', 'x', 'parse-error'],
    ['yaml', 'empty:\n', 'empty', 'x', 'empty: x\n'],
    ['yaml', 'env: # none yet\nb: 1\n', 'env/+LEVEL', 'info', 'env: # none yet\n  LEVEL: info\nb: 1\n'],
    ['yaml', 'list:\n', 'list/+', 'a', 'list:\n  - a\n'],
    ['yaml', 'a: 1\n', '+"404"', 'x', 'a: 1\n"404": x\n'],
    ['jsonc', '{"a": 1}', '+404', '1', 'type-mismatch'],
    ['jsonc', '{"a": 1e999, "b": 1}', 'b', '2', '{"a": 1e999, "b": 2}'],
    ['md', '## A\n\n- c: d\r- x: y\n', 'a/c/c', 'z', 'not-writable'],
    ['md', '---\ntags:\n---\n', '[frontmatter]/tags/+', 'a', '---\ntags:\n  - a\n---\n'],
    ['yaml', 'base: &b {x: 1}\nuse: *b\n', 'use/x', '2', 'alias'],
    ['yaml', 's: "no"\n', 's', 'yes: no', 's: "yes: no"\n'],
    ['yaml', 's: text\n', 's', 'true', 's: "true"\n'],
  ])('%s %j at %s to %j gives %j', (kind, text, address, value, expected) => {
    expect(set(kind, text, address, { text: value })).toBe(expected);
  });

  it.each<[KindName, string, string]>([
    ['md', '## A\n\n- k: v\n', 'a/k/k'],
    ['md', '---\nk: v\n---\n', '[frontmatter]/k'],
    ['jsonc', '{"k": "v"}', 'k'],
    ['jsonl', '{"k":"v"}\n', 'L1/k'],
    ['yaml', 'k: v\n', 'k'],
  ])('refuses the redaction mark in %s, also as a part', (kind, text, address) => {
    for (const value of ['__OPENCLAW_REDACTED__', 'a __OPENCLAW_REDACTED__ b'])
      expect(() => set(kind, text, address, { text: value })).toThrow(/redaction mark/);
  });

  it.each<[KindName, string, string, NewValue]>([
    ['jsonc', '{"k": "v"}', 'k', { json: toJson({ deep: [{ __OPENCLAW_REDACTED__: 1 }] }) }],
    ['jsonc', '{"k": "v"}', '+a__OPENCLAW_REDACTED__', { text: '1' }],
    ['yaml', 'k: v\n', '+a__OPENCLAW_REDACTED__', { text: '1' }],
    ['md', '---\nk: v\n---\n', '[frontmatter]/+__OPENCLAW_REDACTED__', { text: '1' }],
    ['jsonl', '{"k":1}\n', '+', { text: '{"__OPENCLAW_REDACTED__":1}' }],
  ])('refuses the redaction mark in a key of %s', (kind, text, address, value) => {
    expect(() => set(kind, text, address, value)).toThrow(/redaction mark/);
  });

  it('keeps a mark elsewhere in the file', () => {
    expect(set('jsonl', '{"a":"__OPENCLAW_REDACTED__"}\n{"b":1}\n', 'L2/b', { text: '2' })).toBe(
      '{"a":"__OPENCLAW_REDACTED__"}\n{"b":2}\n',
    );
  });

  it('takes a string as text', () => {
    expect(set('jsonc', '{"a": 1}', 'a', '2')).toBe('{"a": 2}');
    expect(() => set('jsonc', '{"a": "x"}', 'a', '__OPENCLAW_REDACTED__')).toThrow(/redaction mark/);
  });

  it('says why it cannot create a parent', () => {
    const below = (kind: KindName, text: string, address: string) =>
      setOcPath(parseDocument(text, kind), parseOcPath(`oc://${FILES[kind]}/${address}`), 'x', { create: true });
    expect(below('yaml', 'a: 1\n', 'a/b/c')).toEqual({
      ok: false,
      reason: 'unresolved',
      detail: 'cannot create a child of a: it is a value',
    });
    expect(below('jsonc', '{"a": [1]}', 'a/5/c')).toEqual({
      ok: false,
      reason: 'unresolved',
      detail: 'cannot create 5 in a',
    });
  });

  it('creates missing parents in every kind', () => {
    expect(set('yaml', 'a: 1\n', 'b/c', { text: 'x' }, true)).toBe('a: 1\nb:\n  c: x\n');
    expect(set('jsonl', '{"a":1}\n', 'L1/b/c', { text: 'x' }, true)).toBe('{"a":1,"b":{"c":"x"}}\n');
    expect(set('md', '', 'tools/gh/risk', { text: 'low' }, true)).toBe('## tools\n\n- gh\n  - risk: low\n');
  });
});

describe('delete', () => {
  it.each<[KindName, string, string, string]>([
    ['md', '## A\n\n- k: v\n  - n: w\n- l: x\n', 'a/k', '## A\n\n- l: x\n'],
    ['md', '## A\n\n- k: v\n  - n: w\n- l: x\n', 'a/k/n', '## A\n\n- k: v\n- l: x\n'],
    ['md', '---\na: 1 # one\nb: 2\n---\n', '[frontmatter]/a', '---\nb: 2\n---\n'],
    ['yaml', 'a: 1 # one\nb:\n  - x\n  - y\n', 'b/0', 'a: 1 # one\nb:\n  - y\n'],
    ['jsonl', '{"a":1}\r\nbroken\r\n{"b":2}\r\n', 'L3', '{"a":1}\r\nbroken\r\n'],
    ['jsonl', '{"a":1}\r\nbroken\r\n{"b":2}\r\n', 'L2', '{"a":1}\r\n{"b":2}\r\n'],
    ['jsonl', '{"a":1,"c":3}\n', 'L1/a', '{"c":3}\n'],
    ['jsonl', '{"a":1}\n', 'L1/z', 'unresolved'],
    ['yaml', 'a: 1\n', '*', 'wildcard-not-allowed'],
  ])('%s %j without %s is %j', (kind, text, address, expected) => {
    const outcome = deleteOcPath(parseDocument(text, kind), parseOcPath(`oc://${FILES[kind]}/${address}`));
    expect(outcome.ok ? outcome.text : outcome.reason).toBe(expected);
  });
});
