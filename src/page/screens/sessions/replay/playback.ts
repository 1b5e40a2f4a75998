import { signal } from '@preact/signals';
import type { Recording } from './recording.ts';
import type { Replay } from './replay.ts';

export const SPEEDS = [1, 2, 8] as const;
export type Speed = (typeof SPEEDS)[number];

/** A longer pause is skipped, up to a moment before the next event. */
const IDLE_MS = 2000;
const BEFORE_EVENT_MS = 300;

export interface PlaybackClock {
  now(): number;
  /** Calls the function before the next frame. */
  nextFrame(run: () => void): void;
}

/** Plays a recording: the moment that is shown, and how it moves. */
export class Playback {
  readonly ms = signal(0);
  readonly isPlaying = signal(false);
  readonly speed = signal<Speed>(1);
  readonly skipsIdle = signal(false);
  /** Why the wanted moment could not be drawn. */
  readonly problem = signal<unknown>(undefined);
  readonly #recording: Recording;
  readonly #replay: Replay;
  readonly #clock: PlaybackClock;
  /** Changes with every start and pause; a loop of an earlier one ends. */
  #run: object | undefined;

  constructor(recording: Recording, replay: Replay, clock: PlaybackClock) {
    this.#recording = recording;
    this.#replay = replay;
    this.#clock = clock;
  }

  async seek(ms: number): Promise<void> {
    this.ms.value = Math.min(Math.max(0, ms), this.#recording.durationMs);
    try {
      await this.#replay.seek(this.ms.value);
      this.problem.value = undefined;
    } catch (error) {
      this.problem.value = error;
      this.pause();
    }
  }

  toggle(): void {
    if (this.isPlaying.value) this.pause();
    else void this.play();
  }

  pause(): void {
    this.#run = undefined;
    this.isPlaying.value = false;
  }

  async play(): Promise<void> {
    if (this.isPlaying.value) return;
    const run = {};
    this.#run = run;
    this.isPlaying.value = true;
    if (this.ms.value >= this.#recording.durationMs) await this.seek(0);
    let before = this.#clock.now();
    while (this.#run === run) {
      await new Promise<void>((resolve) => this.#clock.nextFrame(resolve));
      if (this.#run !== run) return;
      const now = this.#clock.now();
      const next = await this.#after((now - before) * this.speed.value);
      if (this.#run !== run) return;
      await this.seek(next);
      before = now;
      if (this.#run === run && this.ms.value >= this.#recording.durationMs) this.pause();
    }
  }

  /** The moment after this much time, with pauses skipped. */
  async #after(elapsed: number): Promise<number> {
    const wanted = this.ms.value + elapsed;
    if (!this.skipsIdle.value) return wanted;
    const next = await this.#replay.nextEventMs();
    return next !== undefined && next - wanted > IDLE_MS ? next - BEFORE_EVENT_MS : wanted;
  }
}
