import type { Family } from './family.ts';
import { GIT_READING } from './git-reading.ts';
import { GIT_WRITING } from './git-writing.ts';

/** Options before the subcommand, settings and hooks are judged by `policy/programs/git.ts`, which also adds what is forced. */
export const GIT: Family = {
  title: 'git',
  read: 'git 2.39, with the release notes up to 2.51',
  programs: {
    git: {
      grammar: 'git',
      class: 'read',
      terminal: 'safe',
      // No subcommand here reads commands or names from its input: `--stdin` is not listed.
      stdin: 'data',
      env: ['GIT_OPTIONAL_LOCKS', 'GIT_TERMINAL_PROMPT'],
      pass: ['git --version', 'git --no-pager log -1'],
      ask: [
        'git',
        'git x',
        'git -c core.pager=x log',
        'git --exec-path=x status',
        'git mv a.txt b.txt',
        'git clean -fd',
      ],
      subcommands: { ...GIT_READING, ...GIT_WRITING },
    },
  },
};
