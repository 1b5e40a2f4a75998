import type { CommandDefinition } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'attach',
  summary: 'sit down in front of a session',
  usage: [{ line: 'attach <id>', summary: 'shows its screen, and passes on every key and the size of the terminal' }],
  words: ['id'],
  completes: 'session',
  flags: [
    { name: '--json', summary: 'failures as JSON', hidden: true },
    { name: '--human', summary: 'failures as text', hidden: true },
  ],
  notes: [
    'Ctrl-\\ leaves; the session goes on.',
    'A session without a terminal of its own shows its output so far and what follows, and takes lines as input, if its input is open. The start of an id is enough where it names one session.',
  ],
  exit: "exit: the command's own code when it ends, 0 when you leave, 1 there is no such session, 2 wrong arguments",
};
