import type { CommandDefinition } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'logs',
  summary: 'what a session has written',
  usage: [
    { line: 'logs <id>', summary: 'all of it' },
    { line: 'logs -n <n> <id>', summary: 'its last n lines' },
    { line: 'logs -f <id>', summary: 'goes on until the session ends; Ctrl-C leaves, and the session goes on' },
  ],
  words: ['id'],
  completes: 'session',
  flags: [
    { name: '--lines', short: '-n', value: '<n>', summary: 'its last n lines' },
    { name: '--follow', short: '-f', summary: 'go on with what follows' },
    {
      name: '--raw',
      summary: 'on a terminal, too, byte for byte: colours, and all else that a program may tell a terminal',
    },
    { name: '--json', summary: 'failures as JSON', hidden: true },
    { name: '--human', summary: 'failures as text', hidden: true },
  ],
  notes: ['The start of an id is enough where it names one session.'],
  exit: 'exit 0, 1 there is no such session, 2 wrong arguments, 3 the daemon cannot be reached',
};
