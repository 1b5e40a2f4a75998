/** `changes`, `undo` and `redo`. */
import { CLIENT_FLAG } from '../flags.ts';
import { type CommandDefinition, type FlagDefinition, FORM_FLAGS, QUIET_FLAG } from '../definition.ts';

const FILTER: readonly FlagDefinition[] = [
  { name: '--since', value: '<time>', summary: 'an ISO time, or how long ago: 90s, 10m, 2h, 1d' },
  { name: '--agent', value: '<id>', summary: 'only changes of this agent' },
  CLIENT_FLAG,
  { name: '--conversation', value: '<id>', summary: 'only changes of this conversation' },
  { name: '--path', value: '<path>', summary: 'only changes of this file or folder', completes: 'file' },
];
/** The same flags for the list and for the way back, which say what each does with them. */
const target = (does: string): readonly FlagDefinition[] => [
  { name: '--workspace', value: '<dir>', summary: 'the workspace (the working folder)', completes: 'folder' },
  { name: '--no-workspace-only', summary: `${does} what was written outside of the workspace, too` },
  {
    name: '--protect',
    value: '<none>',
    values: ['none'],
    summary: `${does} what was written in .git and in files of clients, too`,
  },
  {
    name: '--hard-links',
    value: '<how>',
    values: ['refuse', 'in-place'],
    summary: 'as pincer write has it',
    hidden: true,
  },
  QUIET_FLAG,
  ...FORM_FLAGS,
];
const DRY_RUN: FlagDefinition = { name: '--dry-run', summary: 'show what would be written, write nothing' };
const START_OF_ID = 'The start of an id is enough where it names one change.';
const REFUSED = `${START_OF_ID} An undo is refused when a file is not as the change left it; the answer shows what happened since, and what going back would do.`;
const EXIT =
  'exit 0 done, 1 refused or nothing to do, 2 wrong arguments, 3 a file or the record cannot be read or written';

export const changes: CommandDefinition = {
  name: 'changes',
  summary: 'what was changed, by whom, and the diff',
  title: 'what was written in a workspace; pincer undo and pincer redo are the way back',
  examples: ['changes --since 1h', 'changes --client claude-code --diff'],
  usage: [
    { line: 'changes', summary: 'the newest changes: id, how long ago, who, with what, which files, lines' },
    { line: 'changes <id>', summary: 'one change with its diff' },
  ],
  positionals: ['[id]'],
  flags: [
    ...FILTER,
    { name: '--limit', value: '<n>', summary: 'at most so many (20)' },
    { name: '--diff', summary: 'with the diff of each' },
    ...target('list'),
  ],
  notes: [START_OF_ID],
  exit: EXIT,
};

export const undo: CommandDefinition = {
  name: 'undo',
  summary: 'take changes back',
  title: 'take back what was written in a workspace',
  examples: ['undo', 'undo --client claude-code --since 10m --dry-run'],
  usage: [
    { line: 'undo', summary: 'take back the newest change, of whichever agent and client' },
    { line: 'undo <id>', summary: 'take this change back' },
    { line: 'undo --since <time>', summary: 'take back everything since then, all or nothing' },
    {
      line: 'undo --agent <id> [--since …]',
      summary: 'take back everything that this agent did (since then), all or nothing',
    },
    { line: 'undo --client <name> [--since …]', summary: 'the same for a client, such as claude-code' },
  ],
  positionals: ['[id]'],
  flags: [...FILTER, DRY_RUN, ...target('take back')],
  notes: [
    `${REFUSED} pincer changes lists what was recorded; pincer redo does it again. Settings are never among them: pincer config undo.`,
  ],
  exit: EXIT,
};

export const redo: CommandDefinition = {
  name: 'redo',
  summary: 'do changes again that were taken back',
  examples: ['redo'],
  usage: [{ line: 'redo [<id>]', summary: 'take the newest undo back, or that of this change' }],
  positionals: ['[id]'],
  flags: [DRY_RUN, ...target('do again')],
  notes: [REFUSED],
  exit: EXIT,
};
