import { useComputed } from '@preact/signals';
import { serverNow } from '../state/clock.ts';
import { countdownText } from '../text/times.ts';

const SOON_MS = 2 * 60_000;

export function isSoon(leftMs: number): boolean {
  return leftMs < SOON_MS;
}

interface CountdownProps {
  readonly startedAt: number;
  readonly expiresAt: number;
  /** What happens at the end: `then denied`. */
  readonly after: string;
}

/** Text and bar. It is a timer that is not announced: a screen reader asks for it. */
export function Countdown({ startedAt, expiresAt, after }: CountdownProps) {
  const left = expiresAt - serverNow();
  const share = Math.min(1, Math.max(0.02, left / Math.max(1, expiresAt - startedAt)));
  return (
    <div class={`countdown${isSoon(left) ? ' soon' : ''}`}>
      <span role="timer" aria-live="off">
        <b>{countdownText(left)}</b> left, {after}
      </span>
      <span class="track" aria-hidden="true">
        <span ref={(bar) => bar?.style.setProperty('inline-size', `${share * 100}%`)} />
      </span>
    </div>
  );
}

/** `0:58 left`. Each second changes its text and nothing else: a list has many of them. */
export function TimeLeft({ expiresAt }: { readonly expiresAt: number }) {
  const name = useComputed(() => `time-left${isSoon(expiresAt - serverNow()) ? ' soon' : ''}`);
  const text = useComputed(() => `${countdownText(expiresAt - serverNow())} left`);
  return <span class={name}>{text}</span>;
}
