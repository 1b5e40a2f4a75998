import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';
import { WORKSPACE_FLAG } from '../flags.ts';

export const definition: CommandDefinition = {
  name: 'doctor',
  summary: 'check this machine, and show a fix for each problem',
  examples: ['doctor', 'doctor --fix'],
  usage: [
    { line: 'doctor', summary: 'check everything that pincer needs or can use, without changing anything' },
    { line: 'doctor --fix', summary: 'also repair what is safe to repair' },
  ],
  positionals: [],
  flags: [
    { name: '--fix', summary: 'repair file modes in the state folder, and remove files of dead processes' },
    WORKSPACE_FLAG,
    ...FORM_FLAGS,
  ],
  notes: ['--fix changes only files in your state folder, and reports each repair.'],
  exit: '0 no failures, possibly warnings; 1 a check failed; 2 invalid arguments',
};
