import type { CommandDefinition } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'plugins',
  summary: 'list the plugins, switch them on and off',
  examples: ['plugins list', 'plugins disable oc-path'],
  usage: [
    { line: 'plugins list', summary: 'the plugins that there are, and whether they are on' },
    { line: 'plugins enable <id>', summary: 'switch one on' },
    { line: 'plugins disable <id>', summary: 'switch one off; what it does is refused from then on' },
  ],
  verbs: [
    { name: 'list', positionals: [] },
    { name: 'enable', positionals: ['id'], completes: ['oc-path'] },
    { name: 'disable', positionals: ['id'], completes: ['oc-path'] },
  ],
  flags: [
    { name: '--json', summary: 'the form of the answer' },
    { name: '--human', summary: 'the form of the answer' },
  ],
  notes: [
    "It is the setting plugins.entries.<id>.enabled in the user's file; oc-path is built in, and on unless switched off.",
  ],
  exit: 'exit 0 done, 2 wrong arguments or no such plugin, 3 the file cannot be written',
};
