import { type CommandDefinition, FORM_FLAGS, QUIET_FLAG } from '../definition.ts';

/** For help, completion and manual; `args.ts` reads the arguments, since nothing may cost a `resolve` time. */
export const definition: CommandDefinition = {
  name: 'path',
  summary: 'read, find and change one spot in a file',
  title: 'read, find and change one spot in Markdown, JSONC, JSONL and YAML',
  examples: [
    "path resolve 'oc://package.json/version' --raw",
    "path find 'oc://config.jsonc/plugins/[enabled=true]/id'",
    "path set 'oc://config.jsonc/plugins/github/enabled' true --dry-run --diff",
    'path ls AGENTS.md',
  ],
  usage: [
    { line: 'path resolve <oc-path> [--raw]', summary: 'what stands at one address' },
    { line: 'path find <pattern>', summary: 'every match of a pattern' },
    { line: "path find --files <glob…> 'oc://*/…'", summary: 'the same over many files' },
    { line: 'path set <oc-path> <value>', summary: 'write one leaf, or insert at +, +key, +N' },
    {
      line: 'path set --batch <file|->',
      summary: 'many writes, all or nothing (JSON lines of path/value/valueJson/delete)',
    },
    { line: 'path delete <oc-path>', summary: 'take one place out' },
    { line: 'path validate <oc-path>', summary: 'check an address; no file is touched' },
    { line: 'path emit <file>', summary: 'the bytes of a file through its parser and back' },
    { line: 'path ls <file|oc-path> [--depth N]', summary: 'what can be addressed here' },
    { line: 'path watch <oc-path>', summary: 'a JSON line for each change' },
    {
      line: 'path --stdin',
      summary: 'one JSON array of arguments a line, one JSON line {code, out} back',
    },
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
      summary: 'the folder that the file slot starts from and may not leave',
      completes: 'folder',
    },
    { name: '--file', value: '<path>', summary: 'this file instead of the file slot', completes: 'file' },
    {
      name: '--kind',
      value: '<kind>',
      values: ['md', 'jsonc', 'jsonl', 'yaml', 'dotenv'],
      summary: 'md, jsonc, jsonl, yaml or dotenv instead of what the extension says',
    },
    ...FORM_FLAGS,
    QUIET_FLAG,
    { name: '--raw', summary: 'the text as it stands in the file', verbs: ['resolve'] },
    { name: '--files', summary: 'the files that the globs in front of the pattern name', verbs: ['find'] },
    { name: '--dry-run', summary: 'print what would be written', verbs: ['set', 'delete'] },
    { name: '--diff', summary: 'print a unified diff; goes with --dry-run', verbs: ['set', 'delete'] },
    { name: '--value-json', summary: 'the value is JSON of any shape', verbs: ['set'] },
    { name: '--create', summary: 'make missing parents', verbs: ['set'] },
    {
      name: '--batch',
      value: '<file>',
      summary: 'many writes from a file; - reads standard input',
      completes: 'file',
      verbs: ['set'],
    },
    { name: '--depth', value: '<n>', summary: 'how deep to look', verbs: ['ls'] },
  ],
  notes: [
    'oc://FILE/SECTION/ITEM/FIELD?session=SCOPE\n' +
      '  "a/b.c"  quoted name     $"…"  name as a JSON string     *  **  wildcards     {a,b}  union\n' +
      '  [k=v]  predicate, also != < <= > >=     $first $last #N  positions     + +key +N  insertion',
  ],
  exit: 'exit 0 yes, 1 no match or refused, 2 wrong arguments or a broken document, 3 the file cannot be read or written',
};
