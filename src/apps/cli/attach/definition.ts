import { type CommandDefinition, QUIET_FLAG, RAW_FLAG } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'attach',
  summary: 'connect your terminal to a session',
  examples: ['attach brisk-otter', 'attach --raw brisk-otter'],
  usage: [{ line: 'attach <id>', summary: 'shows its screen, and passes on every key and the size of the terminal' }],
  positionals: ['id'],
  completes: 'session',
  flags: [
    RAW_FLAG,
    QUIET_FLAG,
    { name: '--json', summary: 'failures as JSON', hidden: true },
    { name: '--human', summary: 'failures as text', hidden: true },
  ],
  notes: [
    'Ctrl-\\ leaves; the session goes on. Ctrl-C goes to the program; in a session without a terminal a second one leaves.',
    'A session without a terminal of its own shows its output so far and what follows, and takes lines as input, if its input is open. On a terminal, colours and styles of that output pass; other escape sequences are dropped. The start of an id is enough where it names one session.',
  ],
  exit: "exit: the command's own code when it ends, 0 when you leave, 1 there is no such session, 2 wrong arguments",
};
