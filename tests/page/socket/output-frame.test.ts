import { expect, it } from 'vitest';
import { readOutputFrame } from '../../../src/page/socket/output-frame.ts';
import { OUTPUT_HEADER_BYTES } from '../../../src/wire/page.ts';

it('reads the id, a position beyond 32 bits, the stream and the bytes', () => {
  const frame = new ArrayBuffer(OUTPUT_HEADER_BYTES + 2);
  const view = new DataView(frame);
  view.setUint32(0, 7, true);
  view.setFloat64(4, 2 ** 40, true);
  view.setUint8(12, 1);
  view.setUint16(13, 0x6968, true);
  expect(readOutputFrame(frame)).toEqual({
    id: 7,
    start: 2 ** 40,
    stream: 'err',
    bytes: new Uint8Array([0x68, 0x69]),
  });
});

it('refuses a frame that is shorter than its header', () => {
  expect(readOutputFrame(new ArrayBuffer(OUTPUT_HEADER_BYTES - 1))).toBeUndefined();
});
