import { Fault } from '../../base/fault.ts';

/** Replaces a redacted secret; writing it back would destroy the secret. */
export const REDACTED_SENTINEL = '__OPENCLAW_REDACTED__';

/** Throws for text that contains the sentinel. */
export function assertNoSentinel(text: string, what: string): void {
  if (!text.includes(REDACTED_SENTINEL)) return;
  throw new Fault(
    'OC_EMIT_SENTINEL',
    `${what} contains the redaction mark ${REDACTED_SENTINEL} and would overwrite a secret`,
    {
      hint: 'write the real value, or leave this value unchanged',
    },
  );
}
