/** Every command that a text can run, including those in loops, functions, substitutions and chains. */
import { type Assignment, type Command, forEachChild, parse, type Redirection, type Script, type Word } from 'unbash';
import type { AnyNode } from './evaluation.ts';

/** A command of a text; a word is undefined where only a shell could expand it. */
export interface NamedCommand {
  readonly words: readonly (string | undefined)[];
  /** It redirects output to a file. */
  readonly writes: boolean;
}

/** The commands, and the first reason why there may be others. */
export interface NamedCommands {
  readonly commands: readonly NamedCommand[];
  /** They run in this order, each at most once. */
  readonly inOrder: boolean;
  /** The text is `cd FOLDER && …`: all later commands run in this folder or not at all. */
  readonly folder?: string;
  readonly unknown?: string;
}

const MOST_NODES = 20_000;

/** Finds all commands of a text; `hidden` returns why a node may run others. */
export function commandsIn(text: string, hidden: (node: AnyNode) => string | undefined): NamedCommands {
  const commands: NamedCommand[] = [];
  let unknown: string | undefined;
  let nodes = 0;
  let inOrder = true;
  let folder: string | undefined;
  const visit = (node: AnyNode): void => {
    if (++nodes > MOST_NODES) throw new RangeError('too many parts');
    if (node.type === 'Command') readCommand(node);
    unknown ??= hidden(node);
    if (isOutOfOrder(node)) inOrder = false;
    forEachChild(node, (child) => {
      visit(child);
    });
  };
  const readCommand = (command: Command): void => {
    if (command.name === undefined) return;
    const words = [command.name, ...command.args].map((word) => (word.type === 'Word' ? literalOf(word) : word.text));
    if (words[0] === undefined) unknown ??= `the command ${command.name.text} is only known when it runs`;
    if (words.some((word) => word === 'test' || word === '[') && command.args.some(isDivided))
      unknown ??= 'the operators of a test are only known when it runs';
    commands.push({ words, writes: command.redirects.some(isWriting) });
  };
  try {
    const script = parse(text);
    if ((script.errors ?? []).length > 0) unknown = `the text cannot be read: ${script.errors![0]!.message}`;
    visit(script);
    folder = leadingFolder(script);
  } catch (error) {
    unknown = `the text cannot be read: ${(error as Error).message}`;
  }
  return {
    commands,
    inOrder,
    ...(folder === undefined ? {} : { folder }),
    ...(unknown === undefined ? {} : { unknown }),
  };
}

/** A failed redirection, a subshell, `;` or `||` would let the rest run in another folder. */
function leadingFolder({ commands: statements }: Script): string | undefined {
  const [statement] = statements;
  if (statement?.command.type !== 'AndOr' || statements.length > 1 || statement.background === true) return undefined;
  const { operators, commands } = statement.command;
  const [first] = commands;
  if (first?.type !== 'Command' || operators.some((operator) => operator !== '&&')) return undefined;
  const [folder] = first.args;
  const isPlain =
    first.name?.text === 'cd' && first.args.length === 1 && first.prefix.length + first.redirects.length === 0;
  return isPlain && folder?.type === 'Word' ? literalOf(folder) : undefined;
}

const OUT_OF_ORDER = new Set(
  'For While Select ArithmeticFor Function Coproc CommandExpansion ProcessSubstitution'.split(' '),
);

/** Loops and functions repeat commands, substitutions run earlier, pipes and background jobs run at the same time. */
function isOutOfOrder(node: AnyNode): boolean {
  if (node.type === 'Pipeline') return node.commands.length > 1;
  if (node.type === 'Statement') return node.background === true;
  return OUT_OF_ORDER.has(node.type);
}

function isWriting(redirection: Redirection): boolean {
  if (redirection.type !== 'Redirect' || redirection.operator === '<' || redirection.operator === '<&') return false;
  return redirection.operator === '>&'
    ? !/^\d+$|^-$/.test(redirection.target?.text ?? '')
    : redirection.target?.text !== '/dev/null';
}

/** Whether a shell may split the word; `"$@"`, `"${a[@]}"` and `"${!a}"` are split even in quotes. */
function isDivided(word: Word | Assignment): boolean {
  return word.type === 'Word' && literalOf(word) === undefined && !/^"[^"@!]*"$/.test(word.text);
}

/** The value of a word, where no shell is needed to expand it. */
function literalOf(word: Word): string | undefined {
  if (/^~|[=:]~/.test(word.text)) return undefined;
  if (word.parts === undefined) return word.text === word.value && isPattern(word.text) ? undefined : word.value;
  const isLiteral = word.parts.every(
    (part) =>
      part.type === 'Literal' ||
      part.type === 'SingleQuoted' ||
      part.type === 'AnsiCQuoted' ||
      (part.type === 'DoubleQuoted' && part.parts.every((inner) => inner.type === 'Literal')),
  );
  return isLiteral ? word.value : undefined;
}

/** Whether a shell may expand the word to others. Each test scans the text once. */
function isPattern(text: string): boolean {
  const between = (open: string, close: string): string => {
    const start = text.indexOf(open);
    return start < 0 ? '' : text.slice(start, text.lastIndexOf(close) + 1);
  };
  return /[*?$`]/.test(text) || between('[', ']') !== '' || /,|\.\./.test(between('{', '}'));
}
