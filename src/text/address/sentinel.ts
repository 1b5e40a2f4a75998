import { Fault } from '../../base/fault.ts';

/** What a redacted secret looks like; writing it back would destroy the secret. */
export const REDACTED_SENTINEL = '__OPENCLAW_REDACTED__';

/** Refuses text that carries the sentinel, whole or as a part. */
export function assertNoSentinel(text: string, what: string): void {
  if (!text.includes(REDACTED_SENTINEL)) return;
  throw new Fault('OC_EMIT_SENTINEL', `${what} carries the redaction mark [REDACTED] and would overwrite a secret`, {
    hint: 'write the real value, or leave this place alone',
  });
}
