/** Files with secrets that are too large to be redacted. */
import { Fault } from '../../base/fault.ts';
import { sizeText } from './limits.ts';
import type { Subject } from './subject.ts';

/** Larger files are not redacted: what holds secrets and is larger is not shown. */
export const MOST_REDACTED = 4 << 20;

/** Refuses a file with secrets of which not all can be looked at. */
export function tooLargeToHide({ name, source, details }: Subject): Fault {
  return new Fault('READ_TOO_LARGE', `${name} holds secrets and is too large to hide them: ${sizeText(source.size)}`, {
    hint: `the limit for such files is ${sizeText(MOST_REDACTED)}`,
    details: { ...details, bytes: source.size },
  });
}

/** Refuses a file whose size forbids a search for secrets. */
export function tooLargeToSearch(name: string, bytes: number): Fault {
  return new Fault('READ_TOO_LARGE', `${name} is too large to be searched for secrets: ${sizeText(bytes)}`, {
    hint: `the limit is ${sizeText(MOST_REDACTED)}`,
    details: { bytes },
  });
}
