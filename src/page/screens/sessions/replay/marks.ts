/** The marks of a recording as the scrubber shows them. */
import { bytesText, countdownText } from '../../../text/times.ts';
import type { Recording, TimedMark } from './recording.ts';

export type MarkKind = 'input' | 'resize' | 'gap' | 'event';

export interface ScrubberMark {
  readonly kind: MarkKind;
  /** Where on the track, from 0 to 1. */
  readonly share: number;
  readonly text: string;
}

/** Marks that are nearer than this share of the track are one, because a person cannot distinguish them. */
const NEAREST_SHARE = 0.002;

export function scrubberMarks(marks: readonly TimedMark[], durationMs: number): readonly ScrubberMark[] {
  const last = new Map<MarkKind, number>();
  return marks.flatMap((timed) => {
    const kind = kindOf(timed);
    const share = durationMs === 0 ? 0 : timed.ms / durationMs;
    if (share - (last.get(kind) ?? Number.NEGATIVE_INFINITY) < NEAREST_SHARE && kind !== 'gap') return [];
    last.set(kind, share);
    return [{ kind, share, text: `${momentText(timed.ms)} ${markText(timed)}` }];
  });
}

/** `0:44.2`: the moment that the address names. */
export function momentText(ms: number): string {
  return `${countdownText(ms)}.${Math.floor(ms / 100) % 10}`;
}

function kindOf({ mark: { kind } }: TimedMark): MarkKind {
  return kind === 'input' || kind === 'resize' || kind === 'gap' ? kind : 'event';
}

function markText({ mark }: TimedMark): string {
  switch (mark.kind) {
    case 'input':
      return `input of ${mark.source === 'agent' ? 'the agent' : 'a person'}`;
    case 'resize':
      return 'resized';
    case 'gap':
      return `gap of ${bytesText(mark.bytes)}`;
    case 'node':
      return `node ${mark.state}`;
    case 'restarted':
      return 'gateway restarted: the last output before it may be missing';
    case 'ended':
      return `ended by ${mark.how}`;
  }
}

/** `12 inputs, 1 resize, 2 gaps of 3.0 MB`, for screen readers. */
export function markSummary({ marks, unlistedMarks }: Pick<Recording, 'marks' | 'unlistedMarks'>): string {
  const count = (kind: MarkKind): number => marks.filter((mark) => kindOf(mark) === kind).length;
  const missing = marks.reduce((sum, { mark }) => sum + (mark.kind === 'gap' ? mark.bytes : 0), 0);
  const gaps = count('gap');
  return [
    counted(count('input'), 'input'),
    counted(count('resize'), 'resize'),
    gaps === 0 ? 'no gap' : `${counted(gaps, 'gap')} of ${bytesText(missing)}`,
    ...(unlistedMarks === 0 ? [] : [`${unlistedMarks} more marks`]),
  ].join(', ');
}

function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
