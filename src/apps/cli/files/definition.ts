import { type CommandDefinition, DRY_RUN_FLAG, type FlagDefinition, QUIET_FLAG } from '../definition.ts';
import {
  AGENT_FLAG,
  BOUNDARY_FLAG,
  HARD_LINKS_FLAG,
  MODEL_CONTEXT_FLAG,
  NODE_FLAG,
  PROTECT_FLAG,
  SECRETS_FLAG,
  withToolboxFlags,
  WORKSPACE_FLAG,
} from '../flags.ts';

const COMMON: readonly FlagDefinition[] = [
  WORKSPACE_FLAG,
  BOUNDARY_FLAG,
  AGENT_FLAG,
  NODE_FLAG,
  HARD_LINKS_FLAG,
  QUIET_FLAG,
  { name: '--json', summary: 'print the tool result as JSON (default: text)' },
];
const EXIT = '0 done; 1 refused; 2 invalid arguments; 3 the file cannot be read or written';
const EDIT_EXIT = '0 done; 1 refused, or text not found; 2 invalid arguments; 3 the file cannot be read or written';

export const read: CommandDefinition = {
  name: 'read',
  summary: 'print a file as an agent sees it',
  examples: ['read src/index.ts --lines 1-40', 'read report.pdf --pages 1-3'],
  usage: [{ line: 'read <file>', summary: '' }],
  positionals: ['file'],
  completes: 'file',
  flags: withToolboxFlags([
    { name: '--lines', value: '<a-b>', summary: 'print only these lines; also a- and a' },
    { name: '--offset', value: '<n>', summary: 'start at line n; -20 means the last 20 lines' },
    { name: '--limit', value: '<n>', summary: 'print at most n lines' },
    {
      name: '--cursor',
      value: '<c>',
      summary: 'continue in a very long line, from the cursor that the last read printed',
    },
    { name: '--pages', value: '<a-b>', summary: 'print only these pages of a PDF' },
    { name: '--encoding', value: '<name>', summary: 'decode with this encoding (default: detect it)' },
    { name: '--numbers', summary: 'print line numbers' },
    SECRETS_FLAG,
    MODEL_CONTEXT_FLAG,
    ...COMMON,
  ]),
  exit: EXIT,
};

export const write: CommandDefinition = {
  name: 'write',
  summary: 'write a file, and create its folders',
  title: 'write a file atomically, and create its folders',
  examples: ["write notes.txt 'first line'", 'write notes.txt < draft.txt'],
  usage: [
    { line: 'write <file> <text>', summary: '' },
    { line: 'write <file> < content', summary: '' },
  ],
  positionals: ['file', '[text]'],
  completes: 'file',
  flags: withToolboxFlags([DRY_RUN_FLAG, PROTECT_FLAG, ...COMMON]),
  exit: EXIT,
};

export const edit: CommandDefinition = {
  name: 'edit',
  summary: 'replace text in a file',
  title: 'replace text in a file; all other bytes stay unchanged',
  examples: ['edit a.txt --old colour --new color --all', 'edit a.txt --old one --new two --dry-run'],
  usage: [
    { line: 'edit <file> --old <text> --new <text>', summary: 'replace one occurrence' },
    {
      line: 'edit <file> --old-file <a> --new-file <b>',
      summary: 'read the texts from files; - means standard input',
    },
    { line: `edit <file> --edits '[{"oldText": …, "newText": …}]'`, summary: 'make several edits, all or nothing' },
  ],
  positionals: ['file'],
  completes: 'file',
  flags: withToolboxFlags([
    { name: '--old', value: '<text>', summary: 'replace this text', mayBeEmpty: true },
    { name: '--new', value: '<text>', summary: 'insert this text; may be empty', mayBeEmpty: true },
    { name: '--old-file', value: '<file>', summary: 'replace the text in this file', completes: 'file' },
    { name: '--new-file', value: '<file>', summary: 'insert the text in this file', completes: 'file' },
    {
      name: '--edits',
      value: '<json>',
      summary: 'make several edits, from a JSON array; - reads it from standard input',
    },
    { name: '--all', summary: 'replace every occurrence (default: the only one)' },
    DRY_RUN_FLAG,
    PROTECT_FLAG,
    ...COMMON,
  ]),
  exit: EDIT_EXIT,
};

export const patch: CommandDefinition = {
  name: 'patch',
  summary: 'apply a patch, all or nothing',
  title: 'apply a patch (*** Begin Patch … *** End Patch), all or nothing',
  examples: ['patch change.patch --dry-run', 'patch < change.patch'],
  usage: [
    { line: 'patch <file>', summary: '' },
    { line: 'patch < file', summary: '' },
  ],
  positionals: ['[file]'],
  completes: 'file',
  flags: withToolboxFlags([
    DRY_RUN_FLAG,
    { name: '--overwrite', summary: 'let Add and Move replace an existing file' },
    PROTECT_FLAG,
    ...COMMON,
  ]),
  exit: EDIT_EXIT,
};
