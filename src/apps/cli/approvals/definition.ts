import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'approvals',
  summary: 'answer approval requests and manage the allowlist',
  examples: [
    'approvals list',
    'approvals allow 3f2a --always --dry-run',
    "approvals deny 3f2a --reason 'use the staging database'",
    'approvals watch --notify \'notify-send "$PINCER_PENDING waiting"\'',
    "approvals allowlist add /usr/bin/git --args 'log|status'",
  ],
  usage: [
    { line: 'approvals list [--all]', summary: 'list pending approval requests; --all includes answered ones' },
    { line: 'approvals show <id> [--env]', summary: 'show one request with everything it is bound to' },
    { line: 'approvals allow <id> [--always]', summary: 'allow the command once, or with --always from now on' },
    { line: 'approvals deny <id> [--reason <text>]', summary: 'deny the command; the agent gets the reason' },
    {
      line: 'approvals watch',
      summary: 'answer requests as they arrive: j/k select, a allow, A allow always, d deny, q quit',
    },
    {
      line: 'approvals watch --notify <command>',
      summary:
        'also run this shell command for new requests, with PINCER_PENDING and PINCER_APPROVAL in its environment',
    },
    { line: 'approvals allowlist list [--agent <id>]', summary: 'list commands that run without approval' },
    { line: 'approvals allowlist add <pattern> [options]', summary: 'let a program run without approval' },
    { line: 'approvals allowlist remove <id|pattern>', summary: 'remove an allowlist entry' },
    { line: 'approvals get', summary: 'print the approvals file and its hash' },
    { line: 'approvals set [file]', summary: 'replace the approvals file (default: read standard input)' },
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
      summary:
        'use the list of this agent (default: * for add, which means all agents; every list for list and remove)',
      verbs: ['allowlist list', 'allowlist add', 'allowlist remove'],
    },
    {
      name: '--args',
      value: '<a|b|…>',
      summary: "allow only arguments that start like this: 'log|diff --stat'",
      verbs: ['allowlist add'],
    },
    {
      name: '--arg-pattern',
      value: '<re>',
      summary: 'allow only arguments that match this regular expression, joined by single spaces',
      verbs: ['allowlist add'],
    },
    {
      name: '--reason',
      value: '<text>',
      summary: 'store this reason with the entry, or send it to the agent',
      verbs: ['allowlist add', 'deny'],
    },
    {
      name: '--base-hash',
      value: '<hash>',
      summary: 'replace only the version with this hash, as printed by get',
      verbs: ['set'],
    },
    { name: '--all', summary: 'include answered requests', verbs: ['list'] },
    { name: '--env', summary: 'print long values of environment variables in full', verbs: ['show'] },
    { name: '--always', summary: 'also store an allowlist entry for the command', verbs: ['allow'] },
    { name: '--dry-run', summary: 'show what --always would store, without answering', verbs: ['allow'] },
    {
      name: '--yes',
      summary:
        'store the entry without confirmation (allow: required without a terminal; allowlist add: also where it allows much)',
      verbs: ['allow', 'allowlist add'],
    },
    {
      name: '--notify',
      value: '<command>',
      summary:
        'run this shell command when requests arrive; it gets their number and the id of the newest, no command text',
      verbs: ['watch'],
    },
    { name: '--limit', value: '<n>', summary: 'show at most the newest n (default: 100)', verbs: ['list'] },
    ...FORM_FLAGS,
  ],
  notes: [
    'A pattern is a path or a glob for the real path of a program, never a bare name. A unique prefix of an id is enough. The first answer wins. Invisible characters are shown as \\u….',
  ],
  exit: '0 done; 1 refused or not found; 2 invalid arguments; 3 the daemon, the approval store or the file is unavailable',
};
