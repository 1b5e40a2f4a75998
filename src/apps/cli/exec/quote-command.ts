/** Quotes arguments for a shell, as little as a person would. */

const PLAIN = /^[\w@%+:,./-]+$/u;
/** After the program name, `name=value` is a plain argument. */
const PLAIN_ARGUMENT = /^[\w@%+=:,./-]+$/u;
/** As the program name, these would be shell keywords. */
const KEYWORDS = new Set(
  'if then else elif fi do done case esac while until for in function select time coproc'.split(' '),
);

export function quoteCommand(argv: readonly string[]): string {
  return argv.map((arg, at) => (isPlain(arg, at) ? arg : `'${arg.replaceAll("'", "'\\''")}'`)).join(' ');
}

function isPlain(arg: string, at: number): boolean {
  return at === 0 ? PLAIN.test(arg) && !KEYWORDS.has(arg) : PLAIN_ARGUMENT.test(arg);
}
