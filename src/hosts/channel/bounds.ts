/** How much one end of a channel accepts from the other. */
import type { JsonBounds } from './bounded-json.ts';
import { LONGEST_VALUE } from './frames.ts';
import type { ValueBounds } from './value-reader.ts';

/** What the other end is: this program, a paired machine, or possibly an attacker. */
export type Trust = 'same-build' | 'paired' | 'hostile';

export interface ChannelBounds extends ValueBounds {
  /** Calls of the other end that are served at the same time. */
  readonly calls: number;
  /** Bytes of a message that is not a result in bytes. */
  readonly message: number;
  /** Bytes that wait to be sent. More: the other end reads nothing, and the channel ends. */
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
  paired: { ...TRUSTED, gathered: 64 * MIB, waiting: 64 * MIB, json: { depth: 64, values: 200_000 } },
  hostile: { ...TRUSTED, calls: 8, gathered: 256 * MIB, json: { depth: 28, values: 50_000 } },
};
