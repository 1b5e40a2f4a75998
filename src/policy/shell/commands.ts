/** Every command that a text can run as far as the text itself says: in loops, functions, substitutions and chains. */
import { type Command, forEachChild, parse, type Word } from 'unbash';
import { isHarmless } from '../environment-names.ts';

/** A command in a text: its words, undefined where only a shell could tell what a word stands for. */
export interface NamedCommand {
  readonly words: readonly (string | undefined)[];
}

/** The commands, and the first reason why there may be others. */
export interface NamedCommands {
  readonly commands: readonly NamedCommand[];
  readonly unknown?: string;
}

type AnyNode = Parameters<typeof forEachChild>[0];

const MOST_NODES = 20_000;

/** Finds all commands of a text. */
export function commandsIn(text: string): NamedCommands {
  const commands: NamedCommand[] = [];
  let unknown: string | undefined;
  let nodes = 0;
  const visit = (node: AnyNode): void => {
    if (++nodes > MOST_NODES) throw new RangeError('too many parts');
    if (node.type === 'Command') readCommand(node);
    // A name in capitals may be exported: programs find code and settings by it.
    if (
      node.type === 'Assignment' &&
      /[A-Z]/.test(node.name) &&
      !isHarmless(node.name, node.value?.type === 'Word' ? node.value.value : '[')
    )
      unknown ??= `${node.name} is set in the text`;
    if ((node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') && node.script === undefined)
      unknown ??= 'a substitution cannot be read';
    // The word of a digit in front of `<(` comes back as plain text.
    if (node.type === 'Word' && /[<>]\(/.test(node.text) && node.parts === undefined)
      unknown ??= 'a word may hold a substitution';
    forEachChild(node, (child) => {
      visit(child);
    });
  };
  const readCommand = (command: Command): void => {
    if (command.name === undefined) return;
    const words = [command.name, ...command.args].map((word) => (word.type === 'Word' ? literalOf(word) : word.text));
    if (words[0] === undefined) unknown ??= `the command ${command.name.text} is only known when it runs`;
    commands.push({ words });
  };
  try {
    const script = parse(text);
    if ((script.errors ?? []).length > 0) unknown = `the text cannot be read: ${script.errors![0]!.message}`;
    visit(script);
  } catch (error) {
    unknown = `the text cannot be read: ${(error as Error).message}`;
  }
  return unknown === undefined ? { commands } : { commands, unknown };
}

/** What a word stands for, where no shell is needed to tell. */
function literalOf(word: Word): string | undefined {
  if (/^~|[=:]~/.test(word.text)) return undefined;
  if (word.parts === undefined)
    return /[*?[{$`]/.test(word.text) && word.text === word.value && /[*?$`]|\[.*\]|\{.*(?:,|\.\.).*\}/.test(word.text)
      ? undefined
      : word.value;
  const isLiteral = word.parts.every(
    (part) =>
      part.type === 'Literal' ||
      part.type === 'SingleQuoted' ||
      part.type === 'AnsiCQuoted' ||
      (part.type === 'DoubleQuoted' && part.parts.every((inner) => inner.type === 'Literal')),
  );
  return isLiteral ? word.value : undefined;
}
