import { describe, expect, test } from 'vitest';
import { positionAt } from '../../../../src/text/lines/position.ts';
import { at, found, names, parse, read } from './at.ts';

const AGENT = `---
name: drafter
tier: 3
metadata:
  tags: [a, b]
empty:
---

# Drafter

Intro text.

- intro: yes

## Tools

Use them well.

- gh: GitHub CLI
  - risk: low
    - why: read only
  - needs a token
- curl: HTTP client
- **send_email**: enabled
- [ ] write tests
- [x] done: yes
- see http://example.com
- http://example.com
- url: http://x:80/p
- key:value
- key:
- \`a:b\`: code key
- [docs](https://x.y/z): the docs

\`\`\`bash
ls
- not: an item
## Not a heading
\`\`\`

### gh-cli

- sub: one

#### Deep

- deep: two

## Runtime safety

| Command | Risk level | Note |
| --- | :-: | --- |
| rm | high | a \\| b |
| \`ls\` | low |  |

    indented

- openclaw gateway
  restarts

## Tools

- second: yes

# Appendix

- appended: yes

### Orphan

- orphan: yes
`;

describe('sections', () => {
  test('are the H2s, later H1s, and deeper headings without an H2 above', () => {
    expect(names(AGENT, '', 'section')).toEqual(['tools', 'runtime-safety', 'tools', 'appendix', 'orphan']);
  });

  test('nest by level, also over skipped levels', () => {
    expect(names(AGENT, 'tools', 'section')).toEqual(['gh-cli']);
    expect(names(AGENT, 'tools.gh-cli', 'section')).toEqual(['deep']);
    expect(names('## A\n#### D\n### C\n', 'a', 'section')).toEqual(['d', 'c']);
    expect(names('#### D\n### C\n', '', 'section')).toEqual(['d', 'c']);
  });

  test.each(['Runtime_Safety', 'runtime-safety', 'Runtime safety', 'RUNTIME-SAFETY'])(
    '%s finds runtime-safety',
    (name) => {
      const document = parse(AGENT);
      const place = document.child(document.root, 'section', name, true);
      expect(
        place && {
          name: place.name,
          ordinal: place.ordinal,
          descriptor: place.descriptor,
          line: positionAt(AGENT, place.anchor).line,
        },
      ).toEqual({
        name: 'runtime-safety',
        ordinal: 1,
        descriptor: 'md-block',
        line: 49,
      });
    },
  );

  test('with the same name are reachable by number', () => {
    expect(read(AGENT, '#2/second/second')).toBe('yes');
    expect(read(AGENT, 'tools/second')).toBeUndefined();
  });

  test.each([
    ['## `curl` **and** [gh](http://x)\n', 'curl-and-gh'],
    ['## Closed ##\n', 'closed'],
    ['   ## Indented\n', 'indented'],
    ['Setext\n---\n', 'setext'],
    ['## \n', ''],
    ['## 工具\n', '工具'],
  ])('the name of %j is %j', (text, name) => {
    expect(names(text, '', 'section')).toEqual([name]);
  });

  test.each([
    '##NoSpace\n',
    '> ## Quoted\n',
    '- ## In an item\n',
    '```\n## Fenced\n```\n',
    '<!--\n## Comment\n-->\n',
    '    ## Code\n',
    '# Title\n',
  ])('%j has no section', (text) => {
    expect(names(text, '', 'section')).toEqual([]);
  });

  test('with an empty slug are found only by number or by the empty name', () => {
    expect(read('## !!\n- a: b\n', '#0/a/a')).toBe('b');
    expect(at(parse('## !!\n'), '!')).toBeUndefined();
    expect(parse('## !!\n').child(parse('## !!\n').root, 'section', '', true)?.ordinal).toBe(0);
  });

  test('have their text as value, and also their heading as raw text', () => {
    const document = parse('## A\n\ntext\n\n- x\n\n## B\n');
    const place = found(document, 'a');
    expect(document.value(place)).toBe('text\n\n- x');
    expect(document.raw(place)).toBe('## A\n\ntext\n\n- x\n\n');
  });
});

describe('the preamble', () => {
  test('is the text before the first section, by name only', () => {
    expect(parse(AGENT).value(found(parse(AGENT), '[preamble]'))).toBe('# Drafter\n\nIntro text.\n\n- intro: yes');
    expect(read(AGENT, '[preamble]/intro/intro')).toBe('yes');
    expect(at(parse('## A\n'), '[preamble]')).toBeUndefined();
  });
});

describe('items', () => {
  test('of a section include those under its sub-headings', () => {
    expect(names(AGENT, 'tools', 'item')).toEqual([
      'gh',
      'curl',
      'send-email',
      'write-tests',
      'done',
      'see-http-example-com',
      'http-example-com',
      'url',
      'key',
      'key',
      'a-b',
      'docs',
      'sub',
      'deep',
    ]);
    expect(names(AGENT, 'tools.gh-cli', 'item')).toEqual(['sub', 'deep']);
  });

  test.each([
    ['tools/gh/gh', 'GitHub CLI'],
    ['tools/gh/GH', 'GitHub CLI'],
    ['tools/gh/risk', 'low'],
    ['tools/gh/risk.why', 'read only'],
    ['tools/gh.risk', '[md-item]'],
    ['tools/gh.risk/risk', 'low'],
    ['tools/gh.risk/why', 'read only'],
    ['tools/gh/needs-a-token', '[md-item]'],
    ['tools/gh/nothing', undefined],
    ['tools/send_email/send_email', 'enabled'],
    ['tools/send-email/**send_email**', 'enabled'],
    ['tools/send-email/send-email', 'enabled'],
    ['tools/done/done', 'yes'],
    ['tools/done/[checked]', 'true'],
    ['tools/write-tests/[checked]', 'false'],
    ['tools/gh/[checked]', undefined],
    ['tools/url/url', 'http://x:80/p'],
    ['tools/key/key', 'value'],
    ['tools/#9/key', undefined],
    ['tools/http-example-com/http', undefined],
    ['tools/a-b/a:b', 'code key'],
    ['tools/docs/docs', 'the docs'],
    ['tools.gh-cli/sub/sub', 'one'],
    ['tools.gh-cli.deep/deep/deep', 'two'],
    ['runtime-safety/openclaw-gateway-restarts', '[md-item]'],
    ['appendix/appended/appended', 'yes'],
    ['orphan/orphan/orphan', 'yes'],
    ['tools/gh/gh.risk', undefined],
  ])('%s reads %j', (path, value) => {
    expect(read(AGENT, path)).toBe(value);
  });

  test.each([
    ['* k: v\n', 'v'],
    ['+ k: v\n', 'v'],
    ['1. k: v\n', 'v'],
    ['2) k: v\n', 'v'],
    ['> - k: v\n', 'v'],
    ['-   k: v\n', 'v'],
    ['-\n  k: v\n', 'v'],
    ['- k:  v  \n', 'v'],
    ['- k : v\n', 'v'],
    ['- **k:** v\n', 'v'],
    ['- **k**: v\n', 'v'],
    ['- __k:__ v\n', 'v'],
    ['- `k`: v\n', 'v'],
    ['- [k](http://x): v\n', 'v'],
    ['- **k:**\n', undefined],
  ])('reads the field k of %j', (item, value) => {
    expect(read(`## A\n\n${item}`, 'a/k/k')).toBe(value);
  });

  test('have a line, a span and a text', () => {
    const document = parse(AGENT);
    const gh = found(document, 'tools/gh');
    expect({ ...gh, item: undefined, row: undefined }).toEqual({
      what: 'item',
      shape: 'container',
      name: 'gh',
      ordinal: 0,
      descriptor: 'md-item',
      start: AGENT.indexOf('- gh: '),
      end: AGENT.indexOf('\n- curl'),
      anchor: AGENT.indexOf('- gh: '),
      item: undefined,
      row: undefined,
    });
    expect(document.value(gh)).toBe('gh: GitHub CLI\n- risk: low\n  - why: read only\n- needs a token');
    expect(document.raw(found(document, 'tools/gh.risk'))).toBe('  - risk: low\n    - why: read only');
  });

  test('list their own key, then their bullets, as fields', () => {
    expect(names(AGENT, 'tools/gh', 'field')).toEqual(['gh', 'risk', 'needs-a-token']);
    expect(names(AGENT, 'tools/gh', 'item')).toEqual(['risk', 'needs-a-token']);
    expect(names(AGENT, 'tools/gh/risk', 'field')).toEqual(['why']);
  });
});

describe('predicates', () => {
  test.each([
    ['tools', 'gh', 'GitHub CLI'],
    ['tools', 'risk', undefined],
    ['tools/gh', 'gh', 'GitHub CLI'],
    ['tools/gh', 'Risk', 'low'],
    ['tools/gh', 'risk.why', 'read only'],
    ['tools/gh/risk', 'risk', 'low'],
    ['tools/done', 'checked', 'true'],
    ['tools/[code].0', 'lang', 'bash'],
    ['[table].0/rm', 'Risk level', 'high'],
    ['[frontmatter]', 'tier', '3'],
  ])('on %s the key %s is %j', (path, key, value) => {
    const document = parse(AGENT);
    expect(document.probe(found(document, path), key)?.valueText).toBe(value);
  });
});

describe('code blocks and tables', () => {
  test.each([
    ['[code].0', 'ls\n- not: an item\n## Not a heading'],
    ['[code].bash', 'ls\n- not: an item\n## Not a heading'],
    ['[code].1', 'indented'],
    ['tools/[code].0', 'ls\n- not: an item\n## Not a heading'],
    ['runtime-safety.[code].0', 'indented'],
    ['[code].2', undefined],
    ['[code].python', undefined],
    ['appendix/[code]', undefined],
    ['[table].0/rm/risk-level', 'high'],
    ['[table].0/rm/1', 'high'],
    ['[table].0/1/command', '`ls`'],
    ['[table].0/ls/note', ''],
    ['[table].0/rm/note', 'a | b'],
    ['runtime-safety/[table].0.ls/Risk level', 'low'],
    ['[table].0/2', undefined],
    ['tools/[table]', undefined],
  ])('%s reads %j', (path, value) => {
    expect(read(AGENT, path)).toBe(value);
  });

  test('are listed with their names', () => {
    expect(names(AGENT, '[code]', 'section')).toEqual(['0', '1']);
    expect(names(AGENT, '[table].0', 'item')).toEqual(['rm', 'ls']);
    expect(names(AGENT, '[table].0/rm', 'field')).toEqual(['command', 'risk-level', 'note']);
  });

  test('belong to their item', () => {
    const text = '## A\n\n- step\n\n  ```sh\n  a\n\n    b\n  ```\n\n  | x |\n  |---|\n  | 1 |\n';
    expect(read(text, 'a/step/[code].0')).toBe('a\n\n  b');
    expect(read(text, 'a/step/[table].0')).toBe('[md-table]');
  });

  test.each([
    ['[code].sh', 'one'],
    ['[code].sh.0', 'one'],
    ['[code].sh.1', 'two'],
    ['b/[code].SH.0', 'two'],
    ['[code].sh.2', undefined],
    ['[code].0.0', undefined],
    ['[code].sh.1.0', undefined],
  ])('are numbered by language: %s reads %j', (path, value) => {
    const text = '## A\n```sh\none\n```\n```js\nx\n```\n## B\n```sh\ntwo\n```\n';
    expect(read(text, path)).toBe(value);
  });

  test('are not found by a quoted group name', () => {
    const document = parse('## Code\n\n```\nx\n```\n');
    expect(document.child(document.root, 'section', '[code]', true)?.name).toBe('code');
  });
});

describe('the children for **', () => {
  test('are each child once, items of a section before its sub-sections', () => {
    const document = parse('## A\n- x: 1\n  - y: 2\n### B\n- z: 3\n');
    const seen: string[] = [];
    const visit = (place: Parameters<typeof document.children>[0], path: string): void => {
      for (const [slot, child] of document.below!(place)) {
        seen.push(`${path}${slot}:${child.name}`);
        visit(child, `${path}${child.name}/`);
      }
    };
    visit(document.root, '');
    expect(seen).toEqual([
      'section:a',
      'a/item:x',
      'a/x/field:x',
      'a/x/field:y',
      'a/section:b',
      'a/b/item:z',
      'a/b/z/field:z',
    ]);
  });
});
