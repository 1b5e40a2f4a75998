/** A command in parts: which stage each belongs to, and which characters the judgement is about. */
import type { Judgement, Verdict } from '../../wire/policy.ts';

export interface CommandPart {
  readonly text: string;
  /** Absent for operators, and for the text of a shell, which has no stages. */
  readonly verdict?: Verdict;
  /** The reason of the judgement is about these characters. Empty text: something is missing here. */
  readonly isMarked: boolean;
}

/** Positions are UTF-16 units of the original text: it is split by them first, and hidden characters are replaced afterwards. */
export function commandParts(
  command: string,
  { stages, at }: Pick<Judgement, 'stages' | 'at'>,
): readonly CommandPart[] {
  const cuts = new Set([0, command.length]);
  for (const { start, end } of [...stages.map(({ span }) => span), ...(at === undefined ? [] : [at])])
    for (const cut of [start, end]) cuts.add(Math.min(command.length, Math.max(0, cut)));
  const sorted = [...cuts].sort((a, b) => a - b);
  const parts: CommandPart[] = [];
  for (const [i, start] of sorted.entries()) {
    if (at !== undefined && at.start === at.end && at.start === start) parts.push({ text: '', isMarked: true });
    const end = sorted[i + 1];
    if (end === undefined) break;
    const stage = stages.find(({ span }) => start >= span.start && start < span.end);
    const isMarked = at !== undefined && start >= at.start && start < at.end;
    parts.push({
      text: command.slice(start, end),
      isMarked,
      ...(stage === undefined ? {} : { verdict: stage.verdict }),
    });
  }
  return parts;
}
