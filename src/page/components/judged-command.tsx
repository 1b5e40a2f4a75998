import type { Judgement } from '../../wire/policy.ts';
import { commandParts, type CommandPart } from '../text/command-parts.ts';
import { HostileText } from './hostile-text.tsx';

interface JudgedCommandProps {
  readonly command: string;
  readonly judgement: Pick<Judgement, 'stages' | 'at'>;
}

/** The exact command: stages coloured by their verdict, and carets below the characters that the reason is about. */
export function JudgedCommand({ command, judgement }: JudgedCommandProps) {
  const hasStages = judgement.stages.length > 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div class="command judged" dir="ltr" role="group" aria-label="The command">
      {commandParts(command, judgement).map((part, i) => {
        const text = (
          <span class={partClass(part, hasStages)}>
            <HostileText text={part.text} lines />
          </span>
        );
        return part.isMarked ? <mark key={i}>{part.text === '' ? ' ' : text}</mark> : text;
      })}
    </div>
  );
}

function partClass({ verdict }: CommandPart, hasStages: boolean): string | undefined {
  if (verdict !== undefined) return `stage ${verdict}`;
  return hasStages ? 'operator' : undefined;
}
