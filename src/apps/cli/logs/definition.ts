import { type CommandDefinition, QUIET_FLAG, RAW_FLAG } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'logs',
  summary: 'what a session has written',
  examples: ['logs brisk-otter', 'logs -f -n 20 brisk-otter'],
  usage: [
    { line: 'logs <id>', summary: 'all of it' },
    { line: 'logs -n <n> <id>', summary: 'its last n lines' },
    { line: 'logs -f <id>', summary: 'goes on until the session ends; Ctrl-C leaves, and the session goes on' },
  ],
  positionals: ['id'],
  completes: 'session',
  flags: [
    { name: '--lines', short: '-n', value: '<n>', summary: 'its last n lines' },
    { name: '--follow', short: '-f', summary: 'go on with what follows' },
    RAW_FLAG,
    QUIET_FLAG,
    { name: '--json', summary: 'failures as JSON', hidden: true },
    { name: '--human', summary: 'failures as text', hidden: true },
  ],
  notes: [
    'On a terminal, colours and styles pass; other escape sequences are dropped. In a pipe the output is byte for byte.',
    'The start of an id is enough where it names one session.',
  ],
  exit: 'exit 0, 1 there is no such session, 2 wrong arguments, 3 the daemon cannot be reached',
};
