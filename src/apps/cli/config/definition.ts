import { type CommandDefinition, QUIET_FLAG } from '../definition.ts';

/** One line for three flags. */
const LAYER =
  "only this layer: the user's file (the default of set and unset), the nearest pincer.jsonc upward from here, /etc/pincer/pincer.jsonc";
const WRITES = ['set', 'unset', 'undo'];

export const definition: CommandDefinition = {
  name: 'config',
  summary: 'read and change the configuration',
  title: 'the settings in pincer.jsonc, with their layers',
  examples: ['config get tools.exec', 'config set tools.exec.host gateway', 'config undo --dry-run', 'config validate'],
  usage: [
    { line: 'config get [<path>]', summary: 'the value that holds here, over all layers; without a path all of them' },
    { line: 'config set <path> <value>', summary: 'write one setting; comments and everything around it stay' },
    { line: 'config unset <path>', summary: 'take one setting out' },
    {
      line: 'config undo [--steps <n>]',
      summary: 'take back the newest change of a setting; pincer undo never does',
    },
    { line: 'config validate [<file>]', summary: 'every problem, with its line and its oc:// address' },
    { line: 'config schema', summary: 'the JSON Schema of the file' },
    { line: 'config file', summary: 'where the files are, and which are there' },
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
    { name: '--file', value: '<file>', summary: 'this file and no other', completes: 'file' },
    { name: '--cwd', value: '<dir>', summary: 'the folder that the project is looked for from', completes: 'folder' },
    {
      name: '--show-source',
      summary: 'with the layer, the file and the oc:// address of each value',
      verbs: ['get'],
    },
    { name: '--verbose', summary: 'the same', verbs: ['get'], hidden: true },
    { name: '--raw', summary: 'a text without quotes, for scripts', verbs: ['get'] },
    { name: '--text', summary: 'the value is a text, whatever it looks like', verbs: ['set'] },
    { name: '--steps', value: '<n>', summary: 'so many changes, all or none (1)', verbs: ['undo'] },
    { name: '--dry-run', summary: 'show what would be written', verbs: WRITES },
    { name: '--diff', summary: 'with --dry-run: as a diff', verbs: ['set', 'unset'] },
    QUIET_FLAG,
    { name: '--json', summary: 'the answer is JSON; for set, the value is JSON too' },
    { name: '--human', summary: 'the answer is text, also in a pipe' },
  ],
  notes: [
    'A path is written agents.list[0].tools.exec.node; [+] is a new entry of a list, ["a.b"] a name with a dot in it. A value is ' +
      'JSON where that fits the setting, else a text; a list may be written a,b.',
    'A later layer wins: system, user, project (which may only make rules stricter), the environment (PINCER_TOOLS_EXEC_HOST), flags.',
  ],
  exit: 'exit 0 done, 1 nothing is set there, nothing can be taken back, or there are problems, 2 wrong arguments, setting or value, 3 the file cannot be read or written',
};
