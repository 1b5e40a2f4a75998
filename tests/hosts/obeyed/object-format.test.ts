import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { settingsOf } from '../../../src/hosts/obeyed/git/git-settings.ts';
import { makeFolder } from '../../support/folder.ts';

const VERSION = '[core]\n\trepositoryformatversion = 1\n';
const SHA256 = '[extensions]\n\tobjectformat = sha256\n';

describe('the object format of a repository', () => {
  it.each([
    ['nothing', {}, 'sha1'],
    ['a version and a format', { config: VERSION + SHA256 }, 'sha256'],
    ['the older format by name', { config: `${VERSION}[extensions]\n\tobjectFormat = sha1\n` }, 'sha1'],
    ['no version', { config: SHA256 }, undefined],
    ['an older version', { config: `[core]\n\trepositoryformatversion = 0\n${SHA256}` }, undefined],
    ['two versions', { config: VERSION + SHA256 + VERSION }, undefined],
    ['two formats', { config: VERSION + SHA256 + SHA256 }, undefined],
    ['an unknown format', { config: `${VERSION}[extensions]\n\tobjectformat = SHA256\n` }, undefined],
    ['a subsection', { config: `${VERSION}[extensions "x"]\n\tobjectformat = sha256\n` }, undefined],
    ['a format of a worktree', { config: VERSION, 'config.worktree': SHA256 }, undefined],
    ['a format of another worktree', { config: VERSION, 'worktrees/w/config.worktree': SHA256 }, undefined],
    ['a version of a worktree', { config: SHA256, 'config.worktree': VERSION }, undefined],
    ['a format that is included', { config: `${VERSION}[include]\n\tpath = more\n`, more: SHA256 }, undefined],
  ])('with %s', (_, files, expected) => {
    const git = makeFolder(files);
    expect(settingsOf({ git, shared: git }).objectFormat).toBe(expected);
  });
});

describe('the settings of a repository are unknown', () => {
  it.each([
    ['that are too many', { config: `[gc]\n${'auto\n'.repeat(10_001)}` }, /more than 10000 settings/u],
    [
      'that include the same long file under many names',
      {
        config: `[include]\n${['', './', '././', './././', '././././'].map((dots) => `path = ${dots}more\n`).join('')}`,
        more: '#'.repeat(1_000_000),
      },
      /longer/u,
    ],
  ])('with settings %s', (_, files, why) => {
    const git = makeFolder(files);
    expect(settingsOf({ git, shared: git }).unreadable).toMatch(why);
  });

  it('with more than 1000 worktrees', () => {
    const git = makeFolder({ config: '', 'worktrees/x': '' });
    for (let i = 0; i < 1000; i++) mkdirSync(join(git, 'worktrees', `${i}`));
    expect(settingsOf({ git, shared: git }).unreadable).toMatch(/more than 1000 worktrees/u);
  });
});
