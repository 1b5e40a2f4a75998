/** The reason and hint for each refusal of the scanner. */
import { type Refusal, shownCharacter } from './refusal.ts';
import { forAgent } from '../hint.ts';

const SINGLE_QUOTES = "put the word into single quotes when it is meant literally: '…'";
const ONE_AT_A_TIME = 'run one command at a time, each with its own call';

const TEXTS: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
  chaining: ['chains commands, and only single pipelines are run without asking', ONE_AT_A_TIME],
  background: ['sends the command to the background of a shell', 'leave it out and set background to true instead'],
  redirection: [
    'redirects input or output',
    'leave it out; write files with the write tool, and read the output from the answer',
  ],
  heredoc: ['starts a here-document', 'write the text into a file first and give its name to the program'],
  'heredoc-expansion': ['is expanded in a here-document whose tag has no quotes', "quote the tag: <<'EOF'"],
  'heredoc-open': ['starts a here-document that does not end', 'end it with its tag, alone in a line'],
  substitution: [
    'runs a command inside another one',
    'run the inner command first and write its output into the command',
  ],
  expansion: [
    'is replaced by the value of a variable, which is not known here',
    `write the value itself, or ${SINGLE_QUOTES}`,
  ],
  'ansi-quote': ['starts a quote that the shell decodes', 'use plain single or double quotes'],
  glob: ['is a pattern that depends on the files in the folder', `name the files, or ${SINGLE_QUOTES}`],
  tilde: ['is replaced by a home folder', 'write the absolute path'],
  equals: ['is replaced by the path of a program in some shells', SINGLE_QUOTES],
  brace: ['expands to several words', 'write the words out, or put them into quotes'],
  history: ['recalls an earlier command in an interactive shell', SINGLE_QUOTES],
  comment: ['starts a comment', 'leave the comment out, or put the word into quotes'],
  'control-flow': ['belongs to control flow of a shell', ONE_AT_A_TIME],
  descriptor: ['is a descriptor, and only 1 and 2 are redirected', 'leave the redirection out'],
  grouping: ['groups commands or runs them in a subshell', ONE_AT_A_TIME],
  keyword: ['is a shell keyword, not a program', ONE_AT_A_TIME],
  assignment: ['sets a variable in front of the command', 'give variables with the parameter env'],
  'conditional-constant': [
    'sets a variable in a way that is not followed',
    'write NAME=value as a command of its own, not behind && or || and not in a pipe',
  ],
  'obeyed-variable': [
    'is a variable that shells or programs obey',
    'use another name, or give variables with the parameter env',
  ],
  'cd-form': ['is not the single folder that cd takes here', 'write cd FOLDER as a command of its own'],
  'redirection-target': ['is not one file whose name is known', 'name the file'],
  split: ['has an unquoted value with blanks or pattern characters, or an empty one', 'put it into double quotes'],
  builtin: ['is a shell builtin, not a program', 'run the program itself; choose the folder with workdir'],
  'unterminated-quote': ['opens a quote that is not closed', 'close the quote, or escape it with a backslash'],
  incomplete: ['has no command on one side', 'complete the command'],
  empty: ['contains no command', 'give a command'],
  'too-many-stages': ['exceeds the number of commands in one pipeline', 'split the pipeline'],
  'too-many-words': ['exceeds the number of arguments', 'pass fewer arguments, or a file that lists them'],
};

export function refusalOf(code: string, text: string, start: number, length = 1): Refusal {
  const [what, hint] = TEXTS[code] ?? ['is not allowed', 'leave it out'];
  const end = Math.min(text.length, start + length);
  const shown = code === 'empty' ? 'the text' : shownPart(text, start, end);
  return { code, reason: `${shown} ${what}`, at: { start, end }, ...forAgent(hint) };
}

function shownPart(text: string, start: number, end: number): string {
  if (text[start] === '\n') return 'a line end';
  const part = text.slice(start, Math.min(end, start + 24));
  return /^[\x21-\x7e]+$/.test(part) ? part : shownCharacter(text, start);
}
