import { describe, expect, test } from 'vitest';
import { positionAt } from '../../../../src/text/lines/position.ts';
import { after, at, found, inserted, names, parse, read, removed, written } from './at.ts';

const SKILL = `---
# what it is
name: drafter
description: "quoted: text"
tier: 3
empty:
allowed-tools: [Bash, Read]
metadata:
  openclaw:
    emoji: '✉️'
---

## Tools
- gh: x
`;

describe('frontmatter', () => {
  test.each([
    ['[frontmatter]', '[md-frontmatter]'],
    ['[frontmatter]/name', 'drafter'],
    ['[frontmatter]/description', 'quoted: text'],
    ['[frontmatter]/tier', '3'],
    ['[frontmatter]/empty', ''],
    ['[frontmatter]/allowed-tools', '[yaml-seq]'],
    ['[frontmatter]/allowed-tools.1', 'Read'],
    ['[frontmatter]/allowed-tools/1', 'Read'],
    ['[frontmatter]/metadata/openclaw.emoji', '✉️'],
    ['[frontmatter].name', 'drafter'],
    ['[frontmatter]/nothing', undefined],
  ])('%s reads %j', (path, value) => {
    expect(read(SKILL, path)).toBe(value);
  });

  test('reads scalars as strings, with their lines in the file', () => {
    const document = parse(SKILL);
    const tier = found(document, '[frontmatter]/tier');
    expect(document.leaf(tier)).toEqual({ valueText: '3', leafType: 'string' });
    expect(positionAt(SKILL, tier.anchor)).toMatchObject({ line: 5 });
    expect(SKILL.slice(tier.start, tier.end)).toBe('3');
  });

  test('lists its keys, and is not among the sections', () => {
    expect(names(SKILL, '[frontmatter]', 'item')).toEqual([
      'name',
      'description',
      'tier',
      'empty',
      'allowed-tools',
      'metadata',
    ]);
    expect(names(SKILL, '', 'section')).toEqual(['tools']);
  });

  test.each([
    ['[frontmatter]/name', 'other', SKILL.replace('drafter', 'other')],
    ['[frontmatter]/tier', 'core', SKILL.replace('tier: 3', 'tier: core')],
    ['[frontmatter]/tier', '4', SKILL.replace('tier: 3', 'tier: 4')],
    ['[frontmatter]/tier', '3', SKILL],
    ['[frontmatter]/description', 'new', SKILL.replace('quoted: text', 'new')],
    ['[frontmatter]/metadata/openclaw.emoji', 'it is', SKILL.replace('✉️', 'it is')],
    ['[frontmatter]', 'x', 'refused: not-writable'],
  ])('%s = %j', (path, value, expected) => {
    expect(written(SKILL, path, value)).toBe(expected);
  });

  test.each([' x', '- x', '"x"', "'x", '# x', 'a: b', 'x\n## Pwn', '', '[x', '*x', '---'])(
    'the value %j comes back as written',
    (value) => {
      const text = written(SKILL, '[frontmatter]/name', value);
      expect(read(text, '[frontmatter]/name')).toBe(value);
      expect(text.endsWith(SKILL.slice(SKILL.indexOf('\nallowed-tools')))).toBe(true);
    },
  );

  test('keeps CRLF and BOM', () => {
    const text = `\uFEFF${SKILL.replaceAll('\n', '\r\n')}`;
    expect(read(text, '[frontmatter]/tier')).toBe('3');
    expect(written(text, '[frontmatter]/name', 'other')).toBe(text.replace('drafter', 'other'));
  });

  test.each([
    ['---\nname: x\n---\n\n## A\n', '---\nname: x\ndescription: y z\n---\n\n## A\n'],
    ['---\nname: x\n---', '---\nname: x\ndescription: y z\n---'],
    ['---\r\nname: x\r\n---\r\n', '---\r\nname: x\r\ndescription: y z\r\n---\r\n'],
    ['---\n---\n', '---\ndescription: y z\n---\n'],
    ['---\nname: x\n...\nbody\n', '---\nname: x\ndescription: y z\n...\nbody\n'],
  ])('inserts a key into %j', (text, expected) => {
    expect(inserted(text, '[frontmatter]', '+description', 'y z')).toBe(expected);
  });

  test.each([
    ['## A\n', '---\ndescription: y z\n---\n## A\n'],
    ['', '---\ndescription: y z\n---\n'],
    ['\uFEFF## A\r\n', '\uFEFF---\r\ndescription: y z\r\n---\r\n## A\r\n'],
  ])('creates the block with the first key in %j', (text, expected) => {
    const document = parse(text);
    const change = document.insert(
      document.root,
      'section',
      { at: 'key', key: '[frontmatter]' },
      [{ slot: 'item', name: 'description' }],
      { text: 'y z' },
    );
    expect(after(text, change)).toBe(expected);
    expect(read(expected, '[frontmatter]/description')).toBe('y z');
  });

  test('refuses to insert an existing key', () => {
    expect(inserted(SKILL, '[frontmatter]', '+name', 'x')).toBe('refused: exists');
  });

  test('removes a key, a nested key, or the whole block', () => {
    expect(removed(SKILL, '[frontmatter]/tier')).toBe(SKILL.replace('tier: 3\n', ''));
    expect(removed(SKILL, '[frontmatter]')).toBe(SKILL.slice(SKILL.indexOf('\n## Tools')));
  });

  test.each(['## A\n---\na: b\n---\n', '\n---\na: b\n---\n', '---\na: b\n', '--- \na: b\n---\n', '----\na: b\n----\n'])(
    '%j has none',
    (text) => {
      expect(at(parse(text), '[frontmatter]')).toBeUndefined();
      expect(parse(text).problems).toEqual([]);
    },
  );

  test('reports malformed YAML for the frontmatter, not for the body', () => {
    const text = '---\na: [1\n---\n\n## A\n- k: v\n';
    const document = parse(text);
    expect(document.problems).toEqual([]);
    expect(read(text, 'a/k/k')).toBe('v');
    const place = found(document, '[frontmatter]');
    const problems = document.problemsAt?.(place) ?? [];
    expect(problems.map(({ code, offset }) => ({ code, line: positionAt(text, offset).line }))).toEqual([
      { code: 'OC_YAML_PARSE_FAILED', line: 3 },
    ]);
    expect([...document.children(place, 'item')]).toEqual([]);
    expect(document.child(place, 'item', 'a', false)).toBeUndefined();
    expect(document.problemsAt?.(document.root)).toEqual([]);
    expect(written(text, 'a/k/k', 'w')).toBe(text.replace('k: v', 'k: w'));
  });
});
