import { type CommandDefinition, DRY_RUN_FLAG, QUIET_FLAG } from '../definition.ts';

/** The three flags share this line in the help. */
const LAYER =
  "use one layer: the user's file (default for set and unset), the nearest pincer.jsonc in or above the current directory, or /etc/pincer/pincer.jsonc";
const WRITES = ['set', 'unset', 'undo'];

export const definition: CommandDefinition = {
  name: 'config',
  summary: 'read and change settings',
  title: 'read and change settings in pincer.jsonc',
  examples: ['config get tools.exec', 'config set tools.exec.host gateway', 'config undo --dry-run', 'config validate'],
  usage: [
    { line: 'config get [<path>]', summary: 'print the effective value of a setting, or of all settings' },
    { line: 'config set <path> <value>', summary: 'change one setting; comments and formatting stay' },
    { line: 'config unset <path>', summary: 'remove one setting' },
    { line: 'config undo [--steps <n>]', summary: 'undo the newest change of a setting' },
    { line: 'config validate [<file>]', summary: 'report every problem with its line and oc:// address' },
    { line: 'config schema', summary: 'print the JSON Schema of pincer.jsonc' },
    { line: 'config file', summary: 'print the paths of the configuration files' },
  ],
  verbs: [
    { name: 'get', positionals: ['[path]'] },
    { name: 'set', positionals: ['path', 'value'] },
    { name: 'unset', positionals: ['path'] },
    { name: 'undo', positionals: [] },
    { name: 'validate', positionals: ['[file]'], completes: 'file' },
    { name: 'schema', positionals: [] },
    { name: 'file', positionals: [] },
  ],
  flags: [
    { name: '--user', summary: LAYER },
    { name: '--project', summary: LAYER },
    { name: '--system', summary: LAYER },
    { name: '--file', value: '<file>', summary: 'use only this file', completes: 'file' },
    {
      name: '--cwd',
      value: '<dir>',
      summary: 'look for the project file in or above this folder (default: the current directory)',
      completes: 'folder',
    },
    { name: '--show-source', summary: 'print the layer, file and oc:// address of each value', verbs: ['get'] },
    { name: '--verbose', summary: 'same as --show-source', verbs: ['get'], hidden: true },
    { name: '--raw', summary: 'print strings without quotes, for scripts', verbs: ['get'] },
    { name: '--text', summary: 'store the value as a string', verbs: ['set'] },
    { name: '--steps', value: '<n>', summary: 'undo n changes, all or nothing (default: 1)', verbs: ['undo'] },
    { ...DRY_RUN_FLAG, verbs: WRITES },
    { name: '--diff', summary: 'with --dry-run, show a diff', verbs: ['set', 'unset'] },
    QUIET_FLAG,
    { name: '--json', summary: 'print JSON; for set, also parse the value as JSON' },
    { name: '--human', summary: 'print text, also in a pipe' },
  ],
  notes: [
    'A path looks like agents.list[0].tools.exec.node; [+] appends to a list, ["a.b"] quotes a name with a dot. A value is ' +
      'read as JSON if that fits the setting, otherwise as a string; a list may be written a,b.',
    'Later layers win: system, user, project (which may only make rules stricter), environment (PINCER_TOOLS_EXEC_HOST), flags.',
  ],
  exit: '0 done; 1 not set, nothing to undo, or problems found; 2 invalid argument, setting or value; 3 the file cannot be read or written',
};
