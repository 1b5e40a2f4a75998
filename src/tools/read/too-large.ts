/** Faults about files that are too large to redact. */
import { Fault } from '../../base/fault.ts';
import { sizeText } from './limits.ts';
import type { Subject } from './subject.ts';

/** Larger files with secrets are not shown. */
export const MOST_REDACTED = 4 << 20;

export function tooLargeToHide({ name, source, details }: Subject): Fault {
  return new Fault(
    'READ_TOO_LARGE',
    `${name} contains secrets and is too large to hide them: ${sizeText(source.size)}`,
    {
      hint: `the limit for files with secrets is ${sizeText(MOST_REDACTED)}`,
      details: { ...details, bytes: source.size },
    },
  );
}

export function tooLargeToSearch(name: string, bytes: number): Fault {
  return new Fault('READ_TOO_LARGE', `${name} is too large to search it for secrets: ${sizeText(bytes)}`, {
    hint: `the limit is ${sizeText(MOST_REDACTED)}`,
    details: { bytes },
  });
}
