/** Words as a command's text: what a shell reads again as the same words, and what a person would type. */

const PLAIN = /^[\w@%+:,./-]+$/u;
/** Behind the name of a program, `name=value` is a word like others. */
const PLAIN_ARGUMENT = /^[\w@%+=:,./-]+$/u;
/** As the first word these would be the shell's grammar instead of a program. */
const GRAMMAR = new Set(
  'if then else elif fi do done case esac while until for in function select time coproc'.split(' '),
);

export function quoteCommand(words: readonly string[]): string {
  return words.map((word, at) => (isPlain(word, at) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}

function isPlain(word: string, at: number): boolean {
  return at === 0 ? PLAIN.test(word) && !GRAMMAR.has(word) : PLAIN_ARGUMENT.test(word);
}
