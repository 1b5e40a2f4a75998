import { describe, expect, it } from 'vitest';
import { obeyedAt } from '../../../src/hosts/obeyed/match.ts';
import { OBEYED } from '../../../src/hosts/obeyed/table.ts';

const classOf = (path: string, besides: readonly string[] = []): number | undefined =>
  obeyedAt(path.split('/'), (_, names) => names.some((name) => besides.includes(name)))?.class;

describe('the table of files that hosts obey', () => {
  it('matches every one of its patterns at the top and at depth, and what is below', () => {
    for (const { class: wanted, patterns, beside = [] } of OBEYED)
      for (const pattern of patterns) {
        const path = pattern.replaceAll('*', 'x');
        expect([classOf(path, beside), classOf(`a/b/${path}`, beside), classOf(`a/${path}/c/d`, beside)], path).toEqual(
          [wanted, wanted, wanted],
        );
      }
  });

  it.each([
    ['.ENVRC', 1],
    ['.env\u200brc', 1],
    ['sub/.VsCode/tasks.json', 1],
    ['.git', 1],
    ['.git.', 1],
    ['.git::$INDEX_ALLOCATION', 1],
    ['GIT~1/config', 1],
    ['lefthook-local.yml', 1],
    ['x.code-workspace', 1],
    ['.npmrc', 2],
    ['packages/a/.NPMRC', 2],
    ['.cargo/config.toml', 2],
    ['gnumakefile', 2],
    ['package.json', 3],
    ['.gitignore', undefined],
    ['.github/CODEOWNERS', undefined],
    ['src/config', undefined],
    ['.env', undefined],
    ['envrc', undefined],
    ['releases/x', undefined],
  ])('puts %j into class %s', (path, wanted) => expect(classOf(path)).toBe(wanted));

  it('matches some names only with a sibling', () => {
    expect([classOf('a/.env', ['.envrc']), classOf('a/flake.nix', ['.envrc']), classOf('a/flake.nix', ['x'])]).toEqual([
      1,
      1,
      undefined,
    ]);
  });

  it('names the reader and how much of the path the table names', () => {
    expect(obeyedAt(['packages', 'prod', '.claude', 'settings.json'])).toMatchObject({
      reader: 'Claude Code',
      depth: 3,
    });
  });
});
