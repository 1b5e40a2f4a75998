/** How much one end of a channel takes from the other. */
import type { JsonBounds } from './bounded-json.ts';
import { LONGEST_VALUE } from './frames.ts';
import type { ValueBounds } from './value-reader.ts';

/** What is known of the other end: it is this program, a paired machine, or anything at all. */
export type Trust = 'same-build' | 'paired' | 'hostile';

export interface ChannelBounds extends ValueBounds {
  /** Calls of the other end that are served at once. */
  readonly calls: number;
  /** Bytes of a message that is not a result in bytes. */
  readonly message: number;
  /** Bytes that wait to be sent: an end that reads nothing is given up. */
  readonly waiting: number;
  readonly json?: JsonBounds;
}

const MIB = 1024 * 1024;
const TRUSTED: ChannelBounds = {
  calls: 1000,
  message: LONGEST_VALUE,
  value: LONGEST_VALUE,
  gathered: 512 * MIB,
  waiting: 128 * MIB,
};

export const BOUNDS: Readonly<Record<Trust, ChannelBounds>> = {
  'same-build': TRUSTED,
  paired: { ...TRUSTED, json: { depth: 64, values: 200_000 } },
  hostile: { ...TRUSTED, calls: 8, gathered: 256 * MIB, json: { depth: 28, values: 50_000 } },
};
