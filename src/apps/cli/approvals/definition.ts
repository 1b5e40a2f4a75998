import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'approvals',
  summary: 'what waits for a person, and what was allowed for good',
  title: 'what waits for a person, and what may run without being asked',
  examples: [
    'approvals list',
    'approvals allow 3f2a --always --dry-run',
    "approvals deny 3f2a --reason 'use the staging database'",
    "approvals allowlist add /usr/bin/git --args 'log|status'",
  ],
  usage: [
    { line: 'approvals list [--all]', summary: 'what waits for an answer; with --all what was answered, too' },
    {
      line: 'approvals show <id> [--env]',
      summary: 'one of them with everything it is bound to; --env with long values whole',
    },
    {
      line: 'approvals allow <id> [--always]',
      summary: 'let it run once; --always shows what is stored, and stores it',
    },
    {
      line: 'approvals deny <id> [--reason <text>]',
      summary: 'do not let it run; the agent is told that the user denied it, and why',
    },
    {
      line: 'approvals watch',
      summary: 'live: j k choose, a allows, A allows always, d denies, q leaves',
    },
    { line: 'approvals allowlist list [--agent <id>]', summary: 'what may run without being asked' },
    {
      line: 'approvals allowlist add <pattern> [flags]',
      summary: 'let it run from now on: --agent, --args, --arg-pattern and --reason narrow and explain it',
    },
    { line: 'approvals allowlist remove <id|pattern>', summary: 'take an entry out' },
    { line: 'approvals get', summary: 'the approvals file, with the hash of its content' },
    { line: 'approvals set [file]', summary: 'replace it by what get gave (default: standard input)' },
  ],
  verbs: [
    { name: 'list', positionals: [] },
    { name: 'show', positionals: ['id'], completes: 'approval' },
    { name: 'allow', positionals: ['id'], completes: 'approval' },
    { name: 'deny', positionals: ['id'], completes: 'approval' },
    { name: 'watch', positionals: [] },
    { name: 'allowlist list', positionals: [] },
    { name: 'allowlist add', positionals: ['pattern'], completes: 'file' },
    { name: 'allowlist remove', positionals: ['id or pattern'] },
    { name: 'get', positionals: [] },
    { name: 'set', positionals: ['[file]'], completes: 'file' },
  ],
  flags: [
    {
      name: '--agent',
      value: '<id>',
      summary: 'whose list (default: add takes * for all agents, list and remove look at all)',
      verbs: ['allowlist list', 'allowlist add', 'allowlist remove'],
    },
    {
      name: '--args',
      value: '<a|b|…>',
      summary: "what the arguments must begin with, as in 'log|diff --stat'",
      verbs: ['allowlist add'],
    },
    {
      name: '--arg-pattern',
      value: '<re>',
      summary: 'a regular expression for all arguments, joined by one blank',
      verbs: ['allowlist add'],
    },
    {
      name: '--reason',
      value: '<text>',
      summary: 'kept with the entry, or told to the agent',
      verbs: ['allowlist add', 'deny'],
    },
    {
      name: '--base-hash',
      value: '<hash>',
      summary: 'the hash that get gave, if the document does not hold it',
      verbs: ['set'],
    },
    { name: '--all', summary: 'what was answered, too', verbs: ['list'] },
    { name: '--env', summary: 'with the values of variables whole, however long', verbs: ['show'] },
    { name: '--always', summary: 'and store what may run from now on', verbs: ['allow'] },
    { name: '--dry-run', summary: 'show what --always would store, answer nothing', verbs: ['allow'] },
    {
      name: '--yes',
      summary: 'do not ask again before --always stores it; needed where there is no terminal',
      verbs: ['allow'],
    },
    { name: '--limit', value: '<n>', summary: 'at most so many, the newest (default 100)', verbs: ['list'] },
    ...FORM_FLAGS,
  ],
  notes: [
    'A pattern is a path or a glob on the real path of the program, never a bare name. The start of an id is enough where it names one approval. The first answer wins. Characters that cannot be seen are shown as \\u….',
  ],
  exit: 'exit 0 done, 1 refused or nothing there, 2 wrong arguments, 3 the daemon, the store or the file cannot be used',
};
