import { OUTPUT_HEADER_BYTES } from '../../wire/page.ts';

/** Output of a session, as a binary frame has it. */
export interface OutputFrame {
  /** The id of the subscription. */
  readonly id: number;
  /** The position of the first byte in the log. */
  readonly start: number;
  readonly stream: 'out' | 'err';
  readonly bytes: Uint8Array;
}

/** Undefined for a frame that is too short. */
export function readOutputFrame(frame: ArrayBuffer): OutputFrame | undefined {
  if (frame.byteLength < OUTPUT_HEADER_BYTES) return undefined;
  const view = new DataView(frame);
  return {
    id: view.getUint32(0, true),
    start: view.getFloat64(4, true),
    stream: view.getUint8(12) === 1 ? 'err' : 'out',
    bytes: new Uint8Array(frame, OUTPUT_HEADER_BYTES),
  };
}
