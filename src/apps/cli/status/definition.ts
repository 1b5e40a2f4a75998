import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'status',
  summary: 'what runs, what waits, and which rules hold here',
  title: 'one screen: what runs, what waits for a person, and which rules and files hold in this folder',
  examples: ['status', 'status --json'],
  usage: [{ line: 'status', summary: 'looks only: nothing is started and nothing is changed' }],
  positionals: [],
  flags: [
    {
      name: '--workspace',
      value: '<dir>',
      summary: 'the folder to look from (the working folder)',
      completes: 'folder',
    },
    { name: '--agent', value: '<id>', summary: 'for this agent (PINCER_AGENT, else main)' },
    ...FORM_FLAGS,
  ],
  exit: 'exit 0 told, 2 wrong arguments, 3 the state folder cannot be used',
};
