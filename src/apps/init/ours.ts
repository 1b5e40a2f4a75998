/** What of a client's file is ours: an entry that starts or reaches this program, a hook that is this program and nothing else. */
import { basename } from 'node:path';
import { type ClientName, TOKEN_VARIABLE } from './clients.ts';

const PROGRAM = /^pincer(?:\.cjs)?$/u;
const NODE = /^node(?:js)?[\d.]*$/u;

/** The words behind our program in a command line; undefined when it starts something else. */
function behindProgram([first = '', second = '', ...rest]: readonly string[]): readonly string[] | undefined {
  if (PROGRAM.test(basename(first))) return [second, ...rest];
  const isNode = NODE.test(basename(first)) || first === process.execPath;
  return isNode && PROGRAM.test(basename(second)) ? rest : undefined;
}

/** Whether an entry of this name among a client's servers is one of ours; others have programs called so, too. */
export function isOurServer(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null) return false;
  const { command, args, headers, bearer_token_env_var: variable } = entry as Readonly<Record<string, unknown>>;
  if (command !== undefined) return behindProgram([command, args].flat().map(String)) !== undefined;
  return variable === TOKEN_VARIABLE || (headers !== undefined && JSON.stringify(headers).includes(TOKEN_VARIABLE));
}

/** Ends the command line of a hook: clients let a call through when the hook cannot start, and take this exit code for a no. */
export const OR_BLOCK = ' || exit 2';

/**
 * The words that somebody added to the command line of our hook, such as `--agent reviewer`; undefined for a hook of somebody
 * else. One that does more than start us is not ours, whatever it has in it.
 */
export function addedToHook(hook: unknown, client: ClientName): readonly string[] | undefined {
  const command = (hook as { readonly command?: unknown } | null)?.command;
  if (typeof command !== 'string') return undefined;
  const words = plainWords(command.endsWith(OR_BLOCK) ? command.slice(0, -OR_BLOCK.length) : command);
  const [verb, name, ...added] = (words === undefined ? undefined : behindProgram(words)) ?? [];
  return verb === 'hook' && name === client ? added : undefined;
}

/** A word that means itself in every shell: bare, in quotes of either kind, with escaped quotes. */
const WORD = String.raw`(?:[\w@%+=:,./~-]|'[^']*'|"[^"$\x60\\!]*"|\\')+`;
const LINE = new RegExp(`^${WORD}(?:[ \t]+${WORD})*$`, 'u');

/** The words of a command line that is only words; undefined for one with anything else in it. */
function plainWords(line: string): readonly string[] | undefined {
  if (!LINE.test(line)) return undefined;
  const words = line.match(new RegExp(WORD, 'gu')) ?? [];
  return words.map((word) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"|\\(')/gu, (_, ...inner) => inner.find((text) => text !== undefined) as string),
  );
}
