/** Second opinion on the scanner: the unbash parser must find the same words, or the text counts as not analysable. */
import { type Command, parse, type PipelineNode } from 'unbash';
import type { ShellStage } from './refusal.ts';

export function parserAgrees(text: string, stages: readonly ShellStage[]): boolean {
  const commands = pipelineOf(text);
  return (
    commands !== undefined &&
    commands.length === stages.length &&
    stages.every((stage, i) => sameWords(stage, commands[i]!))
  );
}

function pipelineOf(text: string): readonly Command[] | undefined {
  const script = parseSafely(text);
  const [statement] = script?.commands ?? [];
  if (script === undefined || (script.errors ?? []).length > 0 || script.commands.length !== 1) return undefined;
  if (statement === undefined || statement.background === true || statement.command.type === 'AndOr') return undefined;
  return commandsOf(statement.command);
}

function commandsOf(node: PipelineNode): readonly Command[] | undefined {
  if (node.type === 'Command') return [node];
  if (node.type !== 'Pipeline' || node.prefixes.length > 0 || node.operators.some((operator) => operator !== '|'))
    return undefined;
  const commands = node.commands.filter((command) => command.type === 'Command');
  return commands.length === node.commands.length ? commands : undefined;
}

/** A parser that fails does not agree. */
export function parseSafely(text: string): ReturnType<typeof parse> | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function sameWords({ words }: ShellStage, { name, prefix, suffix }: Command): boolean {
  if (name === undefined || prefix.length > 0 || suffix.length !== words.length - 1 || name.value !== words[0]!.text)
    return false;
  return suffix.every((part, i) => part.type === 'Word' && part.value === words[i + 1]!.text);
}
