import { Chip } from '../../components/chip.tsx';
import { CodeText, HostileText } from '../../components/hostile-text.tsx';
import { SLOTS } from './address.ts';
import type { Inspected } from './inspect.ts';
import { matchText } from './wording.ts';

/** The slots of an address by name, and what it leads to. A problem is shown at its slot. */
export function Slots({
  inspected,
  isTyping,
}: {
  readonly inspected: Inspected | undefined;
  readonly isTyping: boolean;
}) {
  if (inspected === undefined)
    return <p class="slots note">{isTyping ? 'Looking it up…' : 'Choose a file, or type an address.'}</p>;
  const { structure, problem, places, typed } = inspected;
  return (
    <div class="slots" role="status">
      {structure === undefined
        ? undefined
        : SLOTS.map((slot) => {
            const text = structure[slot];
            if (text === undefined) return undefined;
            const isWrong = problem?.slot === slot;
            return (
              <span key={slot} class={isWrong ? 'slot wrong' : 'slot'}>
                {slot} <CodeText text={text} />
                {isWrong ? (
                  <Chip tone="no" icon="warn">
                    <HostileText text={problem.message} />
                  </Chip>
                ) : undefined}
              </span>
            );
          })}
      {problem?.valid === undefined ? undefined : (
        <span class="slot">
          <CodeText text={problem.valid} />
          <span class="slot wrong">
            <CodeText text={typed.slice(problem.valid.length)} />
          </span>
        </span>
      )}
      {problem === undefined ? (
        <Chip tone="ok" icon="ok">
          <HostileText text={matchText(places)} />
        </Chip>
      ) : problem.slot === undefined ? (
        <Chip tone="no" icon="warn">
          <HostileText text={problem.message} />
        </Chip>
      ) : undefined}
      {problem?.hint === undefined ? undefined : (
        <span class="note">
          <HostileText text={problem.hint} />
        </span>
      )}
    </div>
  );
}
