import { type CommandDefinition, DRY_RUN_FLAG, FORM_FLAGS, QUIET_FLAG } from '../definition.ts';

/** For help, completion and manual. `args.ts` parses the arguments instead, to keep `resolve` fast. */
export const definition: CommandDefinition = {
  name: 'path',
  summary: 'read, find and change values inside a file',
  title: 'read, find and change values inside Markdown, JSONC, JSONL, YAML and .env files',
  examples: [
    "path resolve 'oc://package.json/version' --raw",
    "path find 'oc://config.jsonc/plugins/[enabled=true]/id'",
    "path set 'oc://config.jsonc/plugins/github/enabled' true --dry-run --diff",
    'path ls AGENTS.md',
  ],
  usage: [
    { line: 'path resolve <oc-path> [--raw]', summary: 'print the value at an address' },
    { line: 'path find <pattern>', summary: 'print every match of a pattern' },
    { line: "path find --files <glob…> 'oc://*/…'", summary: 'print every match in many files' },
    { line: 'path set <oc-path> <value>', summary: 'write one leaf, or insert at +, +key, +N' },
    {
      line: 'path set --batch <file|->',
      summary: 'write many, all or nothing (JSON lines with path, value, valueJson, delete)',
    },
    { line: 'path delete <oc-path>', summary: 'delete the value at an address' },
    { line: 'path validate <oc-path>', summary: 'check the syntax of an address, without reading a file' },
    { line: 'path emit <file>', summary: 'parse a file and print it again, byte for byte' },
    { line: 'path ls <file|oc-path> [--depth N]', summary: 'list the addresses in a file' },
    { line: 'path watch <oc-path>', summary: 'print a JSON line for each change' },
    { line: 'path --stdin', summary: 'read one JSON array of arguments per line, print {code, out} for each' },
  ],
  positionals: ['verb', '[oc-path]', '[value]'],
  verbs: [
    { name: 'resolve', positionals: ['oc-path'] },
    { name: 'find', positionals: ['pattern'] },
    { name: 'set', positionals: ['oc-path', 'value'] },
    { name: 'delete', positionals: ['oc-path'] },
    { name: 'validate', positionals: ['oc-path'] },
    { name: 'emit', positionals: ['file'], completes: 'file' },
    { name: 'ls', positionals: ['file'], completes: 'file' },
    { name: 'watch', positionals: ['oc-path'] },
  ],
  flags: [
    {
      name: '--cwd',
      value: '<dir>',
      summary: 'resolve file names in this folder of this machine, and stay inside it (default: the current directory)',
      completes: 'folder',
    },
    { name: '--file', value: '<path>', summary: 'use this file instead of the one in the address', completes: 'file' },
    {
      name: '--kind',
      value: '<kind>',
      values: ['md', 'jsonc', 'jsonl', 'yaml', 'dotenv'],
      summary: 'parse as md, jsonc, jsonl, yaml or dotenv (default: by the file extension)',
    },
    {
      name: '--node',
      value: '<node>',
      summary: 'work on the files of this paired machine, by id or name (default: tools.fs.node)',
      verbs: ['resolve', 'find', 'set', 'delete'],
    },
    ...FORM_FLAGS,
    QUIET_FLAG,
    { name: '--raw', summary: 'print the text as written in the file', verbs: ['resolve'] },
    { name: '--files', summary: 'search the files that match the globs before the pattern', verbs: ['find'] },
    { ...DRY_RUN_FLAG, verbs: ['set', 'delete'] },
    { name: '--diff', summary: 'with --dry-run, show a unified diff', verbs: ['set', 'delete'] },
    { name: '--value-json', summary: 'parse the value as JSON', verbs: ['set'] },
    { name: '--create', summary: 'create missing parents', verbs: ['set'] },
    {
      name: '--batch',
      value: '<file>',
      summary: 'read many writes from a file; - reads standard input',
      completes: 'file',
      verbs: ['set'],
    },
    { name: '--depth', value: '<n>', summary: 'list at most n levels (default: 2)', verbs: ['ls'] },
  ],
  notes: [
    'Where tools.fs.node binds the file tools of the agent ($PINCER_AGENT, or main) to a node, resolve, find, set and delete work there, as pincer read and write do; the others are refused. --cwd and --file name files of this machine.',
    'oc://FILE/SECTION/ITEM/FIELD?session=SCOPE\n' +
      '  "a/b.c"  quoted name     $"…"  name as a JSON string     *  **  wildcards     {a,b}  union\n' +
      '  [k=v]  predicate, also != < <= > >=     $first $last #N  positions     + +key +N  insertion',
  ],
  exit: '0 done; 1 no match, or refused; 2 invalid arguments, or a malformed document; 3 the file cannot be read or written',
};
