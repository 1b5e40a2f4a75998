import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'doctor',
  summary: 'what works on this machine, and the fix for each gap',
  examples: ['doctor', 'doctor --fix'],
  usage: [
    { line: 'doctor', summary: 'looks at everything that pincer needs or can use, and changes nothing' },
    { line: 'doctor --fix', summary: 'repairs what is safe to repair, and says what it did' },
  ],
  positionals: [],
  flags: [
    { name: '--fix', summary: 'repair modes of files of pincer, and remove what a dead process left' },
    {
      name: '--workspace',
      value: '<dir>',
      summary: 'the folder to look from (the working folder)',
      completes: 'folder',
    },
    ...FORM_FLAGS,
  ],
  notes: ['--fix touches nothing but files of your own state folder, and announces each repair.'],
  exit: 'exit 0 all is well, or there are only warnings, 1 something fails, 2 wrong arguments',
};
