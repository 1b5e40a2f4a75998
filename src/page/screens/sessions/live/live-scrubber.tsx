import { useState } from 'preact/hooks';
import type { SessionInfo } from '../../../../wire/session.ts';
import { Chip } from '../../../components/chip.tsx';
import { navigate, pathTo } from '../../../router.ts';
import { serverNow } from '../../../state/clock.ts';
import { countdownText } from '../../../text/times.ts';

/** The scrubber of a running session: what is shown is now. Moving it opens the recording at that moment. */
export function LiveScrubber({ session }: { readonly session: SessionInfo }) {
  const { id, startedAt } = session;
  const seconds = Math.max(0, Math.floor((serverNow() - startedAt) / 1000));
  /** While the person has the thumb, neither it nor the scale moves with the time. */
  const [held, setHeld] = useState<{ readonly max: number; readonly value: number } | undefined>(undefined);
  const hold = (value: number): void => setHeld((before) => ({ max: before?.max ?? seconds, value }));
  const release = (): void => setHeld(undefined);
  return (
    <fieldset class="scrubber" aria-label="Recording">
      <div class="track-box">
        <input
          type="range"
          aria-label="Moment"
          aria-valuetext="now"
          min={0}
          max={held?.max ?? seconds}
          step={1}
          value={held?.value ?? seconds}
          onPointerDown={() => hold(seconds)}
          onInput={(event) => hold(Number(event.currentTarget.value))}
          // A press that changed nothing ends without `change`, which would come after `pointerup`.
          onPointerUp={() => setTimeout(release)}
          onPointerCancel={release}
          onBlur={release}
          onChange={(event) => navigate(`${pathTo('sessions', id)}?t=${event.currentTarget.value}`)}
        />
      </div>
      <span class="numbers times">{countdownText(seconds * 1000)}</span>
      <Chip tone="ok" icon="run" boxed>
        Live
      </Chip>
    </fieldset>
  );
}
