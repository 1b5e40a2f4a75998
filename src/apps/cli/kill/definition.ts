import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'kill',
  summary: 'end sessions, with everything that they started',
  examples: ['kill brisk-otter'],
  usage: [
    {
      line: 'kill <id>…',
      summary: 'an id, or the start of one; first asked to end (TERM), after three seconds made to (KILL)',
    },
  ],
  positionals: ['[id…]'],
  completes: 'session',
  flags: FORM_FLAGS,
  exit: 'exit 0 ended, 1 there is no such session, 2 wrong arguments, 3 the daemon cannot be reached',
};
