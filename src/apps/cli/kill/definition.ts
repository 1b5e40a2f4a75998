import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'kill',
  summary: 'end sessions and all their processes',
  examples: ['kill brisk-otter'],
  usage: [{ line: 'kill <id>…', summary: 'send SIGTERM, then SIGKILL after three seconds' }],
  positionals: ['[id…]'],
  completes: 'session',
  flags: FORM_FLAGS,
  notes: ['A unique prefix of an id is enough.'],
  exit: '0 ended; 1 no such session; 2 invalid arguments; 3 the daemon cannot be reached',
};
