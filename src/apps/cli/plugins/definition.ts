import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'plugins',
  summary: 'list, enable or disable plugins',
  examples: ['plugins list', 'plugins disable oc-path'],
  usage: [
    { line: 'plugins list', summary: 'list the plugins and whether they are enabled' },
    { line: 'plugins enable <id>', summary: 'enable a plugin' },
    { line: 'plugins disable <id>', summary: 'disable a plugin; its commands and tools are refused' },
  ],
  verbs: [
    { name: 'list', positionals: [] },
    { name: 'enable', positionals: ['id'], completes: ['oc-path'] },
    { name: 'disable', positionals: ['id'], completes: ['oc-path'] },
  ],
  flags: FORM_FLAGS,
  notes: [
    "The setting is plugins.entries.<id>.enabled in the user's file. oc-path is built in and enabled by default.",
  ],
  exit: '0 done; 2 invalid arguments, or unknown plugin; 3 the file cannot be written',
};
