import { type CommandDefinition, QUIET_FLAG, RAW_FLAG } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'logs',
  summary: 'print the output of a session',
  examples: ['logs brisk-otter', 'logs -f -n 20 brisk-otter', 'logs --recording brisk-otter'],
  usage: [
    { line: 'logs <id>', summary: 'print all output' },
    { line: 'logs -n <n> <id>', summary: 'print the last n lines' },
    { line: 'logs -f <id>', summary: 'follow the output until the session ends; Ctrl-C stops following' },
    {
      line: 'logs --recording <id>',
      summary: 'print the recording of a session with a terminal (asciicast v3), for asciinema play',
    },
  ],
  positionals: ['id'],
  completes: 'session',
  flags: [
    { name: '--lines', short: '-n', value: '<n>', summary: 'print the last n lines' },
    { name: '--follow', short: '-f', summary: 'follow new output' },
    { name: '--recording', summary: 'print the recording, with the times of the output' },
    RAW_FLAG,
    QUIET_FLAG,
    { name: '--json', summary: 'print errors as JSON', hidden: true },
    { name: '--human', summary: 'print errors as text', hidden: true },
  ],
  notes: [
    'On a terminal, only colours and styles pass; other escape sequences are removed. In a pipe the output is unchanged. A unique prefix of an id is enough.',
  ],
  exit: '0 done; 1 no such session; 2 invalid arguments; 3 the daemon cannot be reached',
};
