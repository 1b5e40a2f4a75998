import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'ps',
  summary: 'the sessions that run',
  title: 'the sessions of every agent, newest first',
  examples: ['ps --all'],
  usage: [
    { line: 'ps', summary: 'those that run, and those that ended and left processes behind (exit 0 (1 left))' },
    { line: 'ps --all', summary: 'those that have ended, too, as long as they are kept' },
  ],
  positionals: [],
  flags: [{ name: '--all', summary: 'those that have ended, too' }, ...FORM_FLAGS],
  exit: 'exit 0, 2 wrong arguments, 3 the daemon cannot be reached',
};
