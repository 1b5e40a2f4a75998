import { describe, expect, it } from 'vitest';
import { VERBS } from '../../src/apps/cli/path/args.ts';
import { readText } from '../house/sources.ts';

const documents = ['README.md', 'AGENTS.md', 'docs/address.md', 'docs/errors.md', 'docs/security.md', 'docs/tools.md'];

/** `pincer path VERB …` up to the end of its line or code span. */
function commandsIn(document: string): { verb: string; flags: string[] }[] {
  return [...readText(document).matchAll(/pincer path ([a-z]+)([^`\n]*)/gu)].map(([, verb = '', rest = '']) => ({
    verb,
    flags: rest.match(/(?<=\s)--[a-z-]+/gu) ?? [],
  }));
}

describe('the documents', () => {
  it.each(documents)('show in %s only verbs and flags that the program has', (document) => {
    const unknown = commandsIn(document).filter(({ verb, flags }) => {
      const shape = VERBS[verb];
      return shape === undefined || flags.some((flag) => !shape.flags.includes(flag) && !shape.options.includes(flag));
    });
    expect(unknown).toEqual([]);
  });

  it('have a row for each flag in docs/address.md, and none for anything else', () => {
    const rows = [...readText('docs/address.md').matchAll(/^\| `(--[a-z-]+)[^`]*` \|/gmu)].map(([, flag = '']) => flag);
    const known = Object.values(VERBS).flatMap((shape) => [...shape.flags, ...shape.options]);
    expect([...rows].sort()).toEqual([...new Set([...known, '--stdin'])].sort());
  });

  it('have a row for each verb in docs/address.md', () => {
    const text = readText('docs/address.md');
    expect(Object.keys(VERBS).filter((verb) => !new RegExp(`^\\| \`${verb}\` \\| `, 'mu').test(text))).toEqual([]);
  });
});
