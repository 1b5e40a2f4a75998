import { type CommandDefinition, QUIET_FLAG, RAW_FLAG } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'attach',
  summary: 'connect your terminal to a session',
  examples: ['attach brisk-otter', 'attach --raw brisk-otter'],
  usage: [{ line: 'attach <id>', summary: 'show the screen of a session, and send it your keys and terminal size' }],
  positionals: ['id'],
  completes: 'session',
  flags: [
    RAW_FLAG,
    QUIET_FLAG,
    { name: '--json', summary: 'print errors as JSON', hidden: true },
    { name: '--human', summary: 'print errors as text', hidden: true },
  ],
  notes: [
    'Ctrl-\\ detaches; the session keeps running. Ctrl-C goes to the program; if the session has no terminal, a second Ctrl-C detaches.',
    'A session without a terminal shows its output so far and new output, and reads lines from you if its input is open. On a terminal, only colours and styles of that output pass; other escape sequences are removed. A unique prefix of an id is enough.',
  ],
  exit: "the command's own exit code when it ends; 0 detached; 1 no such session; 2 invalid arguments",
};
