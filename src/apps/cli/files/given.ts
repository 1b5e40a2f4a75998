/** What the operator hands over: a file of their own, or standard input. The workspace's boundary is not for these. */
import { readFileSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import { reason } from '../../../hosts/files/faults.ts';
import { decodeText } from '../../../text/lines/bytes.ts';
import { readAllInput } from '../input.ts';

/** The bytes of a file, or of standard input for `-`. */
export function givenBytes(source: string): Uint8Array {
  try {
    return source === '-' ? readAllInput() : readFileSync(source);
  } catch (error) {
    throw new Fault('FS_UNREADABLE', `${source === '-' ? 'standard input' : source} cannot be read: ${reason(error)}`, {
      hint: 'name a file that you may read, or - for standard input',
      cause: error,
    });
  }
}

/** The same as text, which must be UTF-8. */
export function givenText(source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(givenBytes(source));
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('USAGE_ARGUMENTS', `${source === '-' ? 'standard input' : source} is not UTF-8 text`, {
      hint: 'save it as UTF-8',
      cause: error,
    });
  }
}

/** Bytes as text from which they come back the same: a patch of a file in another encoding carries its bytes. */
export function bytesAsText(bytes: Uint8Array): string {
  return decodeText(bytes);
}
