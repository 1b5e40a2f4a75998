import { describe, expect, it } from 'vitest';
import { aboutText, authorText, effectText, filesText, matchText } from '../../../../src/page/screens/files/wording.ts';

const place = (match: object) => ({ path: 'oc://a', match: { kind: 'leaf', line: 5, column: 1, ...match } });

describe('the words of a place', () => {
  it.each([
    [[place({ leafType: 'string' })], 'string, line 5'],
    [[place({ kind: 'node', descriptor: 'yaml-map' })], 'yaml-map, line 5'],
    [[place({ kind: 'root', descriptor: 'md-file' })], 'the whole file, md-file'],
    [[place({}), place({})], '2 places'],
    [[], 'no place'],
  ])('%# are %s', (places, text) => {
    expect(matchText(places)).toBe(text);
  });
});

describe('the words of a change', () => {
  const file = { action: 'modify', path: 'a.md', bytesBefore: 1, bytesAfter: 2048 } as const;

  it('name an agent with a fixed word before it, and the operator by a name that no agent can have', () => {
    expect(authorText({ agent: 'operator', client: 'claude-code' })).toBe('agent operator · claude-code');
    expect(authorText({ agent: 'main', client: 'you' })).toBe('operator');
    expect(authorText({ agent: 'main' })).toBe('agent main · unknown');
  });

  it('name its files and what it is about', () => {
    expect(effectText(file)).toBe('changed, 1 B → 2.0 KB');
    expect(filesText({ files: [{ ...file, action: 'move', movedTo: 'b.md' }] })).toBe('a.md → b.md');
    expect(filesText({ files: [file, file] })).toBe('2 files');
    expect([aboutText({ undoes: ['c1'] }), aboutText({ redoes: ['c1', 'c2'] }), aboutText({})]).toEqual([
      'undoes c1',
      'redoes c1, c2',
      undefined,
    ]);
  });
});
