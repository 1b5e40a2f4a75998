import { BOUNDARY_FLAG, CLIENT_FLAG, HARD_LINKS_FLAG, NODE_FLAG, PROTECT_FLAG, WORKSPACE_FLAG } from '../flags.ts';
import { type CommandDefinition, DRY_RUN_FLAG, type FlagDefinition, FORM_FLAGS, QUIET_FLAG } from '../definition.ts';

const FILTER: readonly FlagDefinition[] = [
  { name: '--since', value: '<time>', summary: 'select changes since an ISO time, or since 90s, 10m, 2h, 1d ago' },
  { name: '--agent', value: '<id>', summary: 'select changes of this agent' },
  { ...CLIENT_FLAG, summary: 'select changes of this client: you (the command line), claude-code, codex, …' },
  { name: '--conversation', value: '<id>', summary: 'select changes of this conversation' },
  { name: '--path', value: '<path>', summary: 'select changes of this file or folder', completes: 'file' },
];
const TARGET: readonly FlagDefinition[] = [
  WORKSPACE_FLAG,
  { ...NODE_FLAG, summary: 'use the record of this paired machine, by id or name' },
  { ...BOUNDARY_FLAG, summary: 'include changes outside the workspace' },
  { ...PROTECT_FLAG, summary: 'include changes in .git and in configuration files of clients' },
  { ...HARD_LINKS_FLAG, hidden: true },
  QUIET_FLAG,
  ...FORM_FLAGS,
];
const PREFIX = 'A unique prefix of an id is enough.';
const REFUSED = `${PREFIX} Undo and redo are refused if a file has changed since; the answer shows the conflict.`;
const EXIT =
  '0 done; 1 refused or nothing to do; 2 invalid arguments; 3 a file or the record of changes cannot be read or written';

export const changes: CommandDefinition = {
  name: 'changes',
  summary: 'list what agents changed, with diffs',
  title: 'list the recorded changes in a workspace',
  examples: ['changes --since 1h', 'changes --client claude-code --diff'],
  usage: [
    { line: 'changes', summary: 'list the newest changes: id, age, agent, tool, files, lines' },
    { line: 'changes <id>', summary: 'show one change with its diff' },
  ],
  positionals: ['[id]'],
  flags: [
    ...FILTER,
    { name: '--limit', value: '<n>', summary: 'show at most n (default: 20)' },
    { name: '--diff', summary: 'show the diff of each change' },
    ...TARGET,
  ],
  notes: [
    `${PREFIX} pincer undo and pincer redo revert and reapply changes. With --node, you can undo what agents of this gateway changed on that machine.`,
  ],
  exit: EXIT,
};

export const undo: CommandDefinition = {
  name: 'undo',
  summary: 'undo changes',
  title: 'undo changes in a workspace',
  examples: ['undo', 'undo --client claude-code --since 10m --dry-run'],
  usage: [
    { line: 'undo', summary: 'undo the newest change of any agent and client' },
    { line: 'undo <id>', summary: 'undo this change' },
    { line: 'undo --since <time>', summary: 'undo all changes since then; all or nothing' },
    { line: 'undo --agent <id> [--since …]', summary: 'undo all changes of an agent; all or nothing' },
    { line: 'undo --client <name> [--since …]', summary: 'undo all changes of a client; all or nothing' },
  ],
  positionals: ['[id]'],
  flags: [...FILTER, DRY_RUN_FLAG, ...TARGET],
  notes: [
    `${REFUSED} pincer changes lists what can be undone; pincer redo reapplies it. Settings are separate: pincer config undo.`,
  ],
  exit: EXIT,
};

export const redo: CommandDefinition = {
  name: 'redo',
  summary: 'reapply changes that were undone',
  examples: ['redo'],
  usage: [{ line: 'redo [<id>]', summary: 'revert the newest undo, or the undo of this change' }],
  positionals: ['[id]'],
  flags: [DRY_RUN_FLAG, ...TARGET],
  notes: [REFUSED],
  exit: EXIT,
};
