/** Requests that are not run: why, and in which words. */
import type { DenialReason, ExecOutcome } from '../../wire/exec.ts';
import type { Prepared } from './prepare.ts';

/** Why nothing may run, whoever has approved it; undefined where it may, at least after an approval. */
export function whyDenied({ settings, effective, judgement }: Prepared): DenialReason | undefined {
  if (!settings.execAllowed) return 'tool-denied';
  if (judgement?.verdict !== 'deny') return undefined;
  if (effective.security === 'deny') return 'security=deny';
  return judgement.code === 'deny-rule' ? 'deny-rule' : 'allowlist-miss';
}

/** The answer to a request that is not run. */
export function refusal({ judgement, warnings }: Prepared, reason: DenialReason, message: string): ExecOutcome {
  return {
    status: 'denied',
    reason,
    message: judgement === undefined ? message : `${message}: ${judgement.reason}`,
    ...(judgement?.hint === undefined ? {} : { hint: judgement.hint }),
    ...(judgement === undefined ? {} : { judgement }),
    warnings,
  };
}
