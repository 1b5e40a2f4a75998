import { Callout, FaultNote } from '../../../components/callout.tsx';
import { bytesText } from '../../../text/times.ts';
import type { Gap } from './live-output.ts';

const WHY: Readonly<Record<Gap['why'], string>> = {
  dropped: 'is missing: the log keeps the beginning and the end',
  skipped: 'is not shown, so that the end can be shown',
  costly: 'is not shown: it takes too long to draw',
};

interface OutputNotesProps {
  readonly gaps: readonly Gap[];
  readonly problem: unknown;
}

/** Gaps are named outside of the terminal, where no program can write. */
export function OutputNotes({ gaps, problem }: OutputNotesProps) {
  const reasons = (Object.keys(WHY) as Gap['why'][]).filter((why) => gaps.some((gap) => gap.why === why));
  return (
    <>
      {reasons.map((why) => (
        <Callout key={why} tone="ask" icon="warn" role="status">
          <span data-gap={why}>{gapText(why, gaps)}</span>
        </Callout>
      ))}
      {problem === undefined ? undefined : <FaultNote error={problem} />}
    </>
  );
}

/** `12.3 MB of output is missing: …` */
export function gapText(why: Gap['why'], gaps: readonly Gap[]): string {
  const bytes = gaps.reduce((sum, gap) => sum + (gap.why === why ? gap.bytes : 0), 0);
  return `Gap: ${bytesText(bytes)} of output ${WHY[why]}.`;
}
