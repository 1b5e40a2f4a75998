import type { Verdict } from './policy.ts';

/** What a stage does in the whole: `deny` says that no entry can allow the stage; where the whole asks, a person still can. */
export function stageVerdict(whole: Verdict, stage: Verdict): Verdict {
  return whole === 'ask' && stage === 'deny' ? 'ask' : stage;
}
