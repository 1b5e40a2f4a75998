/** Recognizes pincer's entries in a client's file: servers that start or reach this program, and hooks that run only it. */
import { basename } from 'node:path';
import { type ClientName, TOKEN_VARIABLE } from './clients.ts';

const PROGRAM = /^pincer(?:\.cjs)?$/u;
const NODE = /^node(?:js)?[\d.]*$/u;

/** The arguments of pincer in a command line; undefined if it starts another program. */
function argumentsOfPincer([first = '', second = '', ...rest]: readonly string[]): readonly string[] | undefined {
  if (PROGRAM.test(basename(first))) return [second, ...rest];
  const isNode = NODE.test(basename(first)) || first === process.execPath;
  return isNode && PROGRAM.test(basename(second)) ? rest : undefined;
}

/** Whether a server entry is pincer's; other programs may have the same name. */
export function isPincerServer(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null) return false;
  const { command, args, headers, bearer_token_env_var: variable } = entry as Readonly<Record<string, unknown>>;
  if (command !== undefined) return argumentsOfPincer([command, args].flat().map(String)) !== undefined;
  return variable === TOKEN_VARIABLE || (headers !== undefined && JSON.stringify(headers).includes(TOKEN_VARIABLE));
}

/** The end of a hook's command line: clients allow a call if the hook cannot start, and deny it for this exit code. */
export const OR_BLOCK = ' || exit 2';

/**
 * The arguments that the user added to the command line of pincer's hook, such as `--agent reviewer`; undefined for any
 * other hook. A hook that does more than run pincer is not pincer's.
 */
export function addedToHook(hook: unknown, client: ClientName): readonly string[] | undefined {
  const command = (hook as { readonly command?: unknown } | null)?.command;
  if (typeof command !== 'string') return undefined;
  const words = plainWords(command.endsWith(OR_BLOCK) ? command.slice(0, -OR_BLOCK.length) : command);
  const [verb, name, ...added] = (words === undefined ? undefined : argumentsOfPincer(words)) ?? [];
  return verb === 'hook' && name === client ? added : undefined;
}

/** A word without expansions in any shell: bare, in single or double quotes, with escaped quotes. */
const WORD = String.raw`(?:[\w@%+=:,./~-]|'[^']*'|"[^"$\x60\\!]*"|\\')+`;
const LINE = new RegExp(`^${WORD}(?:[ \t]+${WORD})*$`, 'u');

/** The words of a command line; undefined if it contains any other shell syntax. */
function plainWords(line: string): readonly string[] | undefined {
  if (!LINE.test(line)) return undefined;
  const words = line.match(new RegExp(WORD, 'gu')) ?? [];
  return words.map((word) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"|\\(')/gu, (_, ...inner) => inner.find((text) => text !== undefined) as string),
  );
}
