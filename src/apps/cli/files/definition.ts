/** `read`, `write`, `edit` and `patch`. */
import { type CommandDefinition, type FlagDefinition, QUIET_FLAG } from '../definition.ts';
import {
  AGENT_FLAG,
  BOUNDARY_FLAG,
  HARD_LINKS_FLAG,
  MODEL_CONTEXT_FLAG,
  PROTECT_FLAG,
  SECRETS_FLAG,
  withToolboxFlags,
  WORKSPACE_FLAG,
} from '../flags.ts';

const EVERYWHERE: readonly FlagDefinition[] = [
  WORKSPACE_FLAG,
  BOUNDARY_FLAG,
  AGENT_FLAG,
  HARD_LINKS_FLAG,
  QUIET_FLAG,
  { name: '--json', summary: 'the result of the tool as JSON' },
];
const DRY_RUN: FlagDefinition = { name: '--dry-run', summary: 'show what would change, write nothing' };
const EXIT = 'exit 0 done, 1 refused or not found in the text, 2 wrong arguments, 3 the file cannot be read or written';

export const read: CommandDefinition = {
  name: 'read',
  summary: 'show a file as an agent sees it',
  title: 'show a file of the workspace as an agent sees it',
  examples: ['read src/index.ts --lines 1-40', 'read report.pdf --pages 1-3'],
  usage: [{ line: 'read <file>', summary: '' }],
  positionals: ['file'],
  completes: 'file',
  flags: withToolboxFlags([
    { name: '--lines', value: '<a-b>', summary: 'these lines; also a- and a' },
    { name: '--offset', value: '<n>', summary: 'from this line on; -20 for the last twenty' },
    { name: '--limit', value: '<n>', summary: 'at most so many lines' },
    { name: '--cursor', value: '<c>', summary: 'go on inside of an over-long line, as the last answer says' },
    { name: '--pages', value: '<a-b>', summary: 'these pages of a PDF' },
    { name: '--encoding', value: '<name>', summary: 'read it as this encoding instead of the detected one' },
    { name: '--numbers', summary: 'with the number of each line' },
    SECRETS_FLAG,
    MODEL_CONTEXT_FLAG,
    ...EVERYWHERE,
  ]),
  exit: EXIT,
};

export const write: CommandDefinition = {
  name: 'write',
  summary: 'write a whole file, with its folders',
  title: 'write a whole file, with its folders, atomically',
  examples: ["write notes.txt 'first line'", 'write notes.txt < draft.txt'],
  usage: [
    { line: 'write <file> <text>', summary: '' },
    { line: 'write <file> < content', summary: '' },
  ],
  positionals: ['file', '[text]'],
  completes: 'file',
  flags: withToolboxFlags([DRY_RUN, PROTECT_FLAG, ...EVERYWHERE]),
  exit: EXIT,
};

export const edit: CommandDefinition = {
  name: 'edit',
  summary: 'replace text, byte-exact around it',
  title: 'replace text in a file; every byte around it stays',
  examples: ['edit a.txt --old colour --new color --all', 'edit a.txt --old one --new two --dry-run'],
  usage: [
    { line: 'edit <file> --old <text> --new <text>', summary: '' },
    { line: 'edit <file> --old-file <a> --new-file <b>', summary: 'the texts from files; - is standard input' },
    { line: `edit <file> --edits '[{"oldText": …, "newText": …}]'`, summary: 'several, all or nothing' },
  ],
  positionals: ['file'],
  completes: 'file',
  flags: withToolboxFlags([
    { name: '--old', value: '<text>', summary: 'the text that goes', mayBeEmpty: true },
    { name: '--new', value: '<text>', summary: 'the text that comes; may be empty', mayBeEmpty: true },
    { name: '--old-file', value: '<file>', summary: 'the text that goes, from a file', completes: 'file' },
    { name: '--new-file', value: '<file>', summary: 'the text that comes, from a file', completes: 'file' },
    { name: '--edits', value: '<json>', summary: 'several, as a JSON array; - reads it from standard input' },
    { name: '--all', summary: 'replace every place instead of the only one' },
    DRY_RUN,
    PROTECT_FLAG,
    ...EVERYWHERE,
  ]),
  exit: EXIT,
};

export const patch: CommandDefinition = {
  name: 'patch',
  summary: 'apply a patch whole, or change nothing',
  title: 'apply a patch (*** Begin Patch … *** End Patch) whole, or change nothing',
  examples: ['patch change.patch --dry-run', 'patch < change.patch'],
  usage: [
    { line: 'patch <file>', summary: '' },
    { line: 'patch < file', summary: '' },
  ],
  positionals: ['[file]'],
  completes: 'file',
  flags: withToolboxFlags([
    DRY_RUN,
    { name: '--overwrite', summary: 'let Add and Move replace a file that is there' },
    PROTECT_FLAG,
    ...EVERYWHERE,
  ]),
  exit: EXIT,
};
