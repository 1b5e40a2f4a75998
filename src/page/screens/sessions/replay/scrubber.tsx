import { Button } from '../../../components/button.tsx';
import { Unchanged } from '../../../components/unchanged.tsx';
import { useKeys } from '../../../keys.ts';
import { markSummary, momentText, scrubberMarks } from './marks.ts';
import { type Playback, SPEEDS, type Speed } from './playback.ts';
import type { Recording } from './recording.ts';

const STEP_MS = 100;

interface ScrubberProps {
  readonly playback: Playback;
  readonly recording: Recording;
  readonly isRunning: boolean;
  /** The person has chosen a moment. */
  readonly onMoment: (ms: number) => void;
  readonly onLive: () => void;
}

export function Scrubber({ playback, recording, isRunning, onMoment, onLive }: ScrubberProps) {
  const { durationMs } = recording;
  const isPlaying = playback.isPlaying.value;
  const toggle = (): void => {
    playback.toggle();
    if (isPlaying) onMoment(playback.ms.peek());
  };
  useKeys({ ' ': toggle });
  return (
    <fieldset class="scrubber" aria-label="Recording">
      <Button
        kind="quiet"
        icon={isPlaying ? 'pause' : 'play'}
        label={isPlaying ? 'Pause' : 'Play'}
        shortcut="Space"
        onPress={toggle}
      />
      <Track playback={playback} recording={recording} onMoment={onMoment} onSpace={toggle} />
      <Times ms={playback.ms.value} durationMs={durationMs} />
      {isRunning ? (
        <Button kind="main" onPress={onLive}>
          Live
        </Button>
      ) : undefined}
      <select
        aria-label="Speed"
        value={String(playback.speed.value)}
        onChange={(event) => {
          playback.speed.value = Number(event.currentTarget.value) as Speed;
        }}
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={String(speed)}>
            {speed}×
          </option>
        ))}
      </select>
      <Button
        pressed={playback.skipsIdle.value}
        onPress={() => {
          playback.skipsIdle.value = !playback.skipsIdle.value;
        }}
      >
        Skip idle
      </Button>
    </fieldset>
  );
}

function Times({ ms, durationMs }: { readonly ms: number; readonly durationMs: number }) {
  return (
    <span class="numbers times">
      {momentText(ms)} / {momentText(durationMs)}
    </span>
  );
}

interface TrackProps extends Pick<ScrubberProps, 'playback' | 'recording' | 'onMoment'> {
  readonly onSpace: () => void;
}

function Track({ playback, recording, onMoment, onSpace }: TrackProps) {
  const { durationMs, marks } = recording;
  const move = (event: { readonly currentTarget: HTMLInputElement }): void => {
    playback.pause();
    void playback.seek(Number(event.currentTarget.value));
  };
  return (
    <div class="track-box">
      <input
        type="range"
        aria-label="Moment"
        aria-valuetext={`${momentText(playback.ms.value)} of ${momentText(durationMs)}`}
        min={0}
        // A whole number of steps: a browser does not go to a part of one, and the end would be out of reach.
        max={Math.ceil(durationMs / STEP_MS) * STEP_MS}
        step={STEP_MS}
        value={playback.ms.value}
        onInput={move}
        onChange={(event) => onMoment(Number(event.currentTarget.value))}
        onKeyDown={(event) => {
          if (event.key !== ' ') return;
          event.preventDefault();
          onSpace();
        }}
      />
      {/* The moment changes with every frame of the playback; the marks do not. */}
      <Unchanged by={[recording, durationMs, marks.length]}>{() => <Marks recording={recording} />}</Unchanged>
    </div>
  );
}

function Marks({ recording }: Pick<ScrubberProps, 'recording'>) {
  return (
    <>
      <div class="marks" aria-hidden="true">
        {scrubberMarks(recording.marks, recording.durationMs).map(({ kind, share, text }, i) => (
          <span
            key={i}
            class={`mark ${kind}`}
            title={text}
            ref={(mark) => mark?.style.setProperty('inset-inline-start', `${share * 100}%`)}
          />
        ))}
      </div>
      <p class="unseen">{markSummary(recording)}</p>
    </>
  );
}
