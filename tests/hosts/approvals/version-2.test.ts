/** Version 2 of the approvals file: entries that a program for version 1 must not misread. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openApprovalsFile } from '../../../src/hosts/approvals/file.ts';
import type { AllowlistEntry } from '../../../src/wire/policy.ts';
import { makeFolder } from '../../support/folder.ts';
import { fc } from '../../support/property.ts';

function place(text?: string) {
  const folder = join(makeFolder(), 'state');
  mkdirSync(folder, { mode: 0o700 });
  const path = join(folder, 'exec-approvals.json');
  if (text !== undefined) writeFileSync(path, text, { mode: 0o600 });
  return {
    open: () => openApprovalsFile({ path, checkRules: () => [] }),
    json: () => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>,
  };
}

const SHA = 'a'.repeat(64);
const word = fc.string({ maxLength: 6 }).filter((text) => text !== '*');
const newer = fc
  .record(
    {
      words: fc.array(word, { maxLength: 3 }),
      below: fc.constantFrom('/a', '/a/b'),
      where: fc.constantFrom('sandbox' as const, 'gateway' as const),
      bound: fc.array(fc.record({ file: word, sha256: fc.constantFrom(SHA, 'absent'), text: word }), { maxLength: 2 }),
      said: word,
      at: fc.nat(),
      class: fc.constantFrom('project' as const, 'network' as const),
    },
    { requiredKeys: [] },
  )
  .map((members): AllowlistEntry => ({ pattern: '/bin/x', ...members }));
const isNewer = ({ words, below, where, bound }: AllowlistEntry): boolean =>
  [words, below, where, bound].some((member) => member !== undefined);

describe('version 2 of the approvals file', () => {
  it('is written where an entry needs it, and every entry is read as it was written', () => {
    fc.assert(
      fc.property(fc.array(newer, { minLength: 1, maxLength: 3 }), (entries) => {
        const { open, json } = place('{"version":1,"mine":7,"agents":{"main":{"theirs":[1.10],"allowlist":[]}}}');
        const stored = entries.flatMap((entry) => open().add('main', [entry]));
        const file = json();
        expect({ version: file['version'], mine: file['mine'] }).toEqual({
          version: entries.some(isNewer) ? 2 : 1,
          mine: 7,
        });
        const known = open().ownEntries('main');
        expect(known).toContainEqual(stored.at(-1));
      }),
    );
  });

  it.each([
    ['words', ['test']],
    ['below', '/a'],
    ['where', 'sandbox'],
    ['bound', []],
    ['access', 'read'],
    ['arguments', 'any'],
  ])('is needed for the member %s', (name, value) => {
    const entry = { pattern: '/bin/x', [name]: value };
    const text = (version: number) => JSON.stringify({ version, agents: { main: { allowlist: [entry] } } });
    expect(place(text(2)).open().rulesFor('main').allowlist).toEqual([entry]);
    expect(place(text(1)).open().rulesFor('main')).toMatchObject({
      security: 'deny',
      allowlist: [],
      broken: `agents.main.allowlist[0]: ${name} needs "version": 2`,
    });
  });

  it.each([
    [{ pattern: '/bin/x', words: ['a'], argv: ['a'] }, 'words and argv exclude each other'],
    [{ pattern: '/bin/x', words: ['*', 'a'] }, 'only the last of words may be *'],
    [{ pattern: '/bin/x', where: 'node' }, 'where must be sandbox or gateway'],
    [{ pattern: '/bin/x', arguments: 'some' }, 'arguments must be any'],
    [{ pattern: '/bin/x', arguments: 'any', args: ['a'] }, 'arguments and args exclude each other'],
    [{ pattern: '/srv', access: 'write', words: [] }, 'an entry with access is about a folder and has no arguments'],
    [{ pattern: '/srv/*', access: 'write' }, 'the pattern of an entry with access is a folder without wildcards'],
    [{ pattern: '/bin/x', below: 'a' }, 'below must be an absolute path'],
    [
      { pattern: '/bin/x', bound: [{ file: 'a', sha256: 'x' }] },
      'bound must be a list of objects with file, sha256 and, optionally, at and text',
    ],
  ])('denies everything with %j', (entry, problem) => {
    const text = JSON.stringify({ version: 2, agents: { main: { allowlist: [entry] } } });
    expect(place(text).open().rulesFor('main').broken).toBe(`agents.main.allowlist[0]: ${problem}`);
  });

  it('refuses a limit of version 2 in a deny rule, which would match less than its author expects', () => {
    const text = JSON.stringify({ version: 2, deny: [{ pattern: '/bin/x', words: ['a'] }] });
    expect(place(text).open().rulesFor('main').broken).toBe('deny[0]: words cannot limit a deny rule');
  });

  it('replaces a rule for the same commands that was bound to other texts or to another place', () => {
    const { open } = place();
    const rule = { pattern: '/bin/x', words: ['a'], below: '/a' };
    open().add('main', [{ ...rule, where: 'gateway', bound: [{ file: '/a/f', sha256: SHA }] }]);
    open().add('main', [{ ...rule, words: ['b'], where: 'gateway' }]);
    const [stored] = open().add('main', [{ ...rule, where: 'sandbox', bound: [{ file: '/a/f', sha256: 'absent' }] }]);
    expect(
      open()
        .ownEntries('main')
        .map(({ words, where }) => [words, where]),
    ).toEqual([
      [['b'], 'gateway'],
      [['a'], 'sandbox'],
    ]);
    expect(stored?.id).toEqual(expect.any(String));
  });
});
