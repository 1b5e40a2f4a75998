import type { AuditBin } from '../../../wire/methods/audit-methods.ts';
import { peekServerNow } from '../../state/clock.ts';
import { useLoaded } from '../../state/loaded.ts';
import { call } from '../../state/server.ts';
import { clockText } from '../../text/times.ts';

const BINS = 72;
const HEIGHT = 56;
const WIDTH = 10;

/** Drawn one above the other, from the bottom; the rest of the entries comes first. */
const PARTS = ['asked', 'denied'] as const;

interface Volume {
  readonly bins: readonly AuditBin[];
  readonly total: number;
  readonly from: number;
  readonly to: number;
}

/** How many entries a search finds, and when. `undefined` until it is known. */
export function useVolume(q: string, round: number): Volume | undefined {
  const { value, error } = useLoaded(q, (signal) => loadVolume(q, signal), round);
  return error === undefined ? value : undefined; // the rows show why a search fails
}

async function loadVolume(q: string, signal: AbortSignal): Promise<Volume> {
  const [oldest] = await call('audit.list', { after: 0, limit: 1, q }, signal);
  const to = Math.ceil(peekServerNow()) + 1;
  const from = Math.min(oldest?.time ?? to - 1, to - 1);
  const { bins, total } = await call('audit.histogram', { q, from, to, bins: BINS }, signal);
  return { bins, total, from, to };
}

/** Bars for people who see them; the sentence below has the same in words. */
export function Histogram({ volume }: { readonly volume: Volume }) {
  const { bins, total, from, to } = volume;
  const most = Math.max(1, ...bins.map(({ entries }) => entries));
  return (
    <figure class="histogram">
      <svg viewBox={`0 0 ${BINS * WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {bins.flatMap((bin, i) =>
          barsOf(bin, most).map(({ kind, y, height }) => (
            <rect key={`${i} ${kind}`} class={kind} x={i * WIDTH + 1} y={y} width={WIDTH - 2} height={height} />
          )),
        )}
      </svg>
      <figcaption class="note row">
        <span>
          {total.toLocaleString('en')} {total === 1 ? 'entry' : 'entries'} since {clockText(from, to)}
        </span>
        {PARTS.map((kind) => (
          <span key={kind} class={kind}>
            {sumOf(bins, kind).toLocaleString('en')} {kind}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

interface Bar {
  readonly kind: 'other' | (typeof PARTS)[number];
  readonly y: number;
  readonly height: number;
}

/** A part that is not empty has at least two pixels. */
function barsOf(bin: AuditBin, most: number): readonly Bar[] {
  const counts = { other: bin.entries - bin.asked - bin.denied, asked: bin.asked, denied: bin.denied };
  let y = HEIGHT;
  return (['other', ...PARTS] as const).flatMap((kind) => {
    if (counts[kind] === 0) return [];
    const height = Math.min(y, Math.max(2, (counts[kind] / most) * HEIGHT));
    y -= height;
    return [{ kind, y, height }];
  });
}

function sumOf(bins: readonly AuditBin[], kind: (typeof PARTS)[number]): number {
  return bins.reduce((sum, bin) => sum + bin[kind], 0);
}
