/** What a repository's own settings, hooks and submodules change about a call of git. */
import { describe, expect, it } from 'vitest';
import { judge } from '../../src/policy/judge.ts';
import type { NestedRepository, RepositoryFacts, RepositorySetting } from '../../src/wire/policy.ts';
import { machine, rules } from './machine.ts';

/** `name=value`, or `section.key[subsection]=value`. */
function setting(text: string): RepositorySetting {
  const [, name = '', subsection, value = ''] = /^([^[=]*)(?:\[(.*)\])?=(.*)$/su.exec(text)!;
  return subsection === undefined ? { name, value } : { name, subsection, value };
}

function judged(command: string, facts: RepositoryFacts, isForeign = false) {
  const lookup = { ...machine(), repositoryAt: () => facts };
  const allowlist = [{ pattern: '/usr/bin/git' }, { pattern: '/usr/bin/git', args: [command.split(' ')[1] ?? ''] }];
  return judge(command, rules({ allowlist }), lookup, '/home/u', isForeign ? { builtins: new Set() } : undefined);
}

const factsWith = (...settings: readonly string[]): RepositoryFacts => ({ settings: settings.map(setting), hooks: [] });

describe('a setting of the repository', () => {
  it.each([
    ['core.fsmonitor=x', 'git status', 'allow'],
    ['core.hookspath=x', 'git status', 'allow'],
    ['core.fsmonitor[x]=x', 'git status', 'ask'],
    ['push.gpgsign=true', 'git status', 'allow'],
    ['push.gpgsign=if-asked', 'git push https://example.org/x main', 'ask'],
    ['commit.gpgsign=true', 'git status', 'allow'],
    ['commit.gpgsign=true', 'git commit -m x', 'ask'],
    ['commit.gpgsign=1', 'git commit -m x', 'ask'],
    ['commit.gpgsign=false', 'git commit -m x', 'allow'],
    ['tag.gpgsign=true', 'git tag x', 'ask'],
    ['tag.gpgsign=true', 'git commit -m x', 'allow'],
    ['gpg.program=x', 'git log', 'allow'],
    ['gpg.program[x509]=x', 'git log', 'allow'],
    ['gpg.program[ssh]=x', 'git log', 'allow'],
    ['gpg.program[X509]=x', 'git log', 'ask'],
    ['gpg.program[other]=x', 'git log', 'ask'],
    ['gpg.defaultkeycommand[ssh]=x', 'git log', 'ask'],
    ['diff.textconv[x]=x', 'git diff', 'allow'],
    ['diff.textconv[x]=x', 'git annotate f', 'allow'],
    ['diff.textconv[x]=x', 'git status', 'ask'],
    ['diff.textconv[x]=x', 'git reflog', 'ask'],
    ['diff.textconv[x]=x', 'git stash show', 'ask'],
    ['diff.textconv[x]=x', 'git format-patch -1', 'ask'],
    ['diff.textconv[x]=x', 'git whatchanged', 'ask'],
    ['diff.command[x]=x', 'git show', 'allow'],
    ['diff.command[x]=x', 'git diff-tree HEAD', 'ask'],
    ['diff.external=x', 'git log', 'allow'],
    ['diff.external=x', 'git range-diff a b', 'ask'],
    ['filter.clean[x]=x', 'git status', 'allow'],
    ['filter.process[x.y-z]=x', 'git diff', 'allow'],
    ['filter.clean[a=b]=x', 'git status', 'ask'],
    ['filter.clean[]=x', 'git status', 'ask'],
    ['filter.clean[a b]=x', 'git status', 'ask'],
    ['filter.clean=x', 'git status', 'ask'],
    ['filter.clean[x]=x', 'git add f', 'ask'],
    ['filter.clean[x]=x', 'git commit -m x', 'ask'],
    ['filter.other[x]=x', 'git status', 'ask'],
    ['merge.driver[x]=x', 'git merge y', 'ask'],
    ['include.path=x', 'git status', 'ask'],
    ['includeif.path[gitdir:/]=x', 'git status', 'ask'],
    ['core.sshcommand=x', 'git status', 'ask'],
    ['core.worktree=/x', 'git status', 'ask'],
    ['core.bare[x]=x', 'git status', 'allow'],
    ['diff.submodule=diff', 'git diff', 'allow'],
    ['submodule.recurse=true', 'git checkout x', 'ask'],
    ['protocol.allow[ext]=always', 'git status', 'allow'],
    ['protocol.allow[file]=always', 'git status', 'ask'],
    ['remote.promisor[origin]=true', 'git log', 'ask'],
    ['extensions.partialclone=./z', 'git log', 'ask'],
    ['.bare=x', 'git status', 'ask'],
    ['bare=x', 'git status', 'ask'],
  ])('%s makes `%s` %s', (text, command, verdict) => {
    expect(judged(command, factsWith(text)).verdict).toBe(verdict);
    const isPlain = text.startsWith('core.bare');
    expect(judged(command, factsWith(text), true).verdict).toBe(isPlain ? 'allow' : 'ask');
  });

  it('that is switched off has its full name in the arguments, or an option that does it', () => {
    const texts = [
      'core.fsmonitor=x',
      'gpg.program[x509]=x',
      'filter.clean[a.b]=x',
      'diff.textconv[x]=x',
      'diff.external=x',
    ];
    const argv = judged('git diff', factsWith(...texts)).plan!.stages[0]!.argv;
    expect(argv).toEqual(
      expect.arrayContaining([
        'core.fsmonitor=false',
        'gpg.x509.program=false',
        'filter.a.b.clean=',
        'filter.a.b.smudge=',
        'filter.a.b.process=',
        'filter.a.b.required=false',
      ]),
    );
    expect(argv.slice(argv.indexOf('diff'))).toEqual(['diff', '--no-ext-diff', '--no-textconv']);
  });

  it('is harmless with a promise of a remote on the network', () => {
    const facts = factsWith(
      'remote.url[origin]=https://example.org/x',
      'remote.promisor[origin]=true',
      'extensions.partialclone=origin',
    );
    expect(judged('git log', facts).verdict).toBe('allow');
    const local = factsWith('remote.url[origin]=/tmp/x', 'remote.promisor[origin]=true');
    expect(judged('git log', local).verdict).toBe('ask');
  });

  it('that names a remote without an address makes a fetch of all remotes ask', () => {
    const facts = factsWith('remote.url[origin]=https://example.org/x', 'remote.fetch[./z]=+refs/*:refs/*');
    expect([judged('git fetch --all', facts).verdict, judged('git fetch origin', facts).verdict]).toEqual([
      'ask',
      'allow',
    ]);
  });
});

describe('a hook of the repository', () => {
  it.each([
    ['git status', 'pre-commit', 'allow', 'ask'],
    ['git log', 'post-index-change', 'allow', 'ask'],
    ['git add f', 'pre-commit', 'allow', 'ask'],
    ['git add f', 'post-index-change', 'ask', 'ask'],
    ['git branch x', 'reference-transaction', 'ask', 'ask'],
    ['git fetch origin', 'reference-transaction', 'ask', 'ask'],
    ['git bisect start', 'post-checkout', 'allow', 'ask'],
    ['git commit -m x', 'pre-commit', 'ask', 'ask'],
    ['git some-alias', 'x', 'ask', 'ask'],
    ['git version', 'pre-commit', 'allow', 'allow'],
  ])('with `%s` and %s: %s, and %s in another shell', (command, hook, verdict, elsewhere) => {
    const facts = { settings: [], hooks: [hook] };
    expect([judged(command, facts).verdict, judged(command, facts, true).verdict]).toEqual([verdict, elsewhere]);
  });
});

describe('a submodule', () => {
  const nested = (parts: Partial<NestedRepository>): RepositoryFacts => ({
    settings: [setting('remote.url[origin]=https://example.org/x')],
    hooks: [],
    nested: [{ folder: '/x/.git/modules/m', settings: [], hooks: [], ...parts }],
  });

  it.each([
    ['plain settings', 'git status', { settings: [setting('core.bare=false')] }, 'allow', 'allow'],
    ['a filter', 'git status', { settings: [setting('filter.clean[x]=x')] }, 'ask', 'ask'],
    ['a setting that is forced outside', 'git status', { settings: [setting('core.fsmonitor=x')] }, 'ask', 'ask'],
    ['a hook', 'git status', { hooks: ['post-index-change'] }, 'allow', 'ask'],
    ['a remote on this machine', 'git fetch', { settings: [setting('remote.url[origin]=../z')] }, 'ask', 'ask'],
    [
      'a remote on this machine',
      'git pull origin main',
      { settings: [setting('remote.url[origin]=../z')] },
      'ask',
      'ask',
    ],
    [
      'a remote on this machine',
      'git push origin main',
      { settings: [setting('remote.url[origin]=../z')] },
      'allow',
      'allow',
    ],
    ['a remote on this machine', 'git status', { settings: [setting('remote.url[origin]=../z')] }, 'allow', 'allow'],
  ] as const)('with %s makes `%s` %s', (_, command, parts, verdict, elsewhere) => {
    const facts = nested(parts);
    expect([judged(command, facts).verdict, judged(command, facts, true).verdict]).toEqual([verdict, elsewhere]);
  });

  it('is named in the question', () => {
    const { reason } = judged('git status', nested({ settings: [setting('filter.clean[x]=y')] }));
    expect(reason).toContain('the submodule in /x/.git/modules/m sets filter.x.clean');
  });
});

describe('a clone', () => {
  it.each([
    ['host.example:p', '/home/u/host.example:p', 'ask'],
    ['host.example:p', '/home/u/host.example:p.git', 'ask'],
    ['host.example:p', '/home/u/host.example:p.bundle', 'ask'],
    ['https://example.org/p', '/home/u/https://example.org/p', 'ask'],
    ['host.example:p', '/home/u/p', 'allow'],
    ['https://example.org/p', '/home/u/p', 'allow'],
  ])('of %s where %s exists: %s', (address, path, verdict) => {
    const known = machine();
    const realPath = (each: string): string | undefined => (each === path ? path : known.realPath(each));
    const allowlist = [{ pattern: '/usr/bin/git', args: ['clone'] }];
    expect(judge(`git clone ${address}`, rules({ allowlist }), { ...known, realPath }, '/home/u').verdict).toBe(
      verdict,
    );
  });
});

describe('many settings of remotes', () => {
  it('are judged by the addresses of each remote', () => {
    const urls = Array.from({ length: 9_000 }, () => 'remote.url[a]=https://example.org/x');
    const promises = Array.from({ length: 9_000 }, () => 'remote.promisor[a]=true');
    expect(judged('git log', factsWith(...urls, ...promises)).verdict).toBe('allow');
    expect(judged('git log', factsWith(...urls, 'remote.url[a]=z', ...promises)).verdict).toBe('ask');
  });
});
