/** Windows bitmaps, which sharp does not read: the uncompressed kinds, as RGBA pixels. */
import { Fault } from '../../base/fault.ts';

export interface Bitmap {
  readonly width: number;
  readonly height: number;
  /** Four bytes per pixel, rows from the top. */
  readonly pixels: Uint8Array;
}

export function isBmp(bytes: Uint8Array): boolean {
  return bytes[0] === 0x42 && bytes[1] === 0x4d && bytes.length >= 26;
}

const FILE_HEADER = 14;
const UNCOMPRESSED = 0;
const BIT_FIELDS = 3;
const ALPHA_BIT_FIELDS = 6;

interface Header {
  readonly width: number;
  readonly height: number;
  readonly topDown: boolean;
  readonly bits: number;
  readonly pixelsAt: number;
  readonly palette: { readonly at: number; readonly entry: 3 | 4; readonly count: number };
  readonly masks: readonly [number, number, number, number];
}

/** Decodes the pixels; `checkSize` may throw before anything is allocated. */
export function decodeBmp(bytes: Uint8Array, checkSize: (width: number, height: number) => void): Bitmap {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = readHeader(view);
  const { width, height, bits } = header;
  checkSize(width, height);
  const stride = Math.floor((bits * width + 31) / 32) * 4;
  if (header.pixelsAt + stride * height > bytes.length) throw damaged('it ends before its last row');
  const pixels = new Uint8Array(width * height * 4);
  const pixelAt = bits <= 8 ? paletteReader(bytes, header) : maskReader(view, header);
  for (let y = 0; y < height; y++) {
    const row = header.pixelsAt + stride * (header.topDown ? y : height - 1 - y);
    for (let x = 0; x < width; x++) pixelAt(row, x, pixels, (y * width + x) * 4);
  }
  return { width, height, pixels };
}

function readHeader(view: DataView): Header {
  const size = view.getUint32(FILE_HEADER, true);
  const old = size === 12;
  if (!old && (size < 40 || view.byteLength < FILE_HEADER + size)) throw damaged('its header is truncated');
  const width = old ? view.getUint16(18, true) : view.getInt32(18, true);
  const signedHeight = old ? view.getUint16(20, true) : view.getInt32(22, true);
  const bits = view.getUint16(old ? 24 : 28, true);
  const compression = old ? UNCOMPRESSED : view.getUint32(30, true);
  if (width <= 0 || signedHeight === 0) throw damaged('it has no pixels');
  if (![1, 4, 8, 16, 24, 32].includes(bits) || ![UNCOMPRESSED, BIT_FIELDS, ALPHA_BIT_FIELDS].includes(compression))
    throw damaged('its compression is not supported');
  const masks = compression === UNCOMPRESSED ? plainMasks(bits) : fieldMasks(view, size, compression);
  const declared = old ? 0 : view.getUint32(46, true);
  const count = Math.min(256, declared === 0 ? 2 ** Math.min(bits, 8) : declared);
  return {
    width,
    height: Math.abs(signedHeight),
    topDown: signedHeight < 0,
    bits,
    pixelsAt: view.getUint32(10, true),
    palette: { at: FILE_HEADER + size, entry: old ? 3 : 4, count },
    masks,
  };
}

function plainMasks(bits: number): Header['masks'] {
  return bits === 16 ? [0x7c00, 0x3e0, 0x1f, 0] : [0xff0000, 0xff00, 0xff, 0];
}

function fieldMasks(view: DataView, size: number, compression: number): Header['masks'] {
  if (view.byteLength < 70) throw damaged('its header is truncated');
  const alpha = size >= 56 || compression === ALPHA_BIT_FIELDS ? view.getUint32(66, true) : 0;
  return [view.getUint32(54, true), view.getUint32(58, true), view.getUint32(62, true), alpha];
}

type PixelReader = (row: number, x: number, into: Uint8Array, at: number) => void;

function paletteReader(bytes: Uint8Array, { bits, palette }: Header): PixelReader {
  const perByte = 8 / bits;
  const mask = 2 ** bits - 1;
  return (row, x, into, at) => {
    const byte = bytes[row + Math.floor(x / perByte)]!;
    const index = (byte >> ((perByte - 1 - (x % perByte)) * bits)) & mask;
    const entry = palette.at + Math.min(index, palette.count - 1) * palette.entry;
    into[at] = bytes[entry + 2] ?? 0;
    into[at + 1] = bytes[entry + 1] ?? 0;
    into[at + 2] = bytes[entry] ?? 0;
    into[at + 3] = 255;
  };
}

function maskReader(view: DataView, { bits, masks }: Header): PixelReader {
  const channels = masks.map(channelReader);
  const size = bits / 8;
  return (row, x, into, at) => {
    const from = row + x * size;
    const value =
      size === 4
        ? view.getUint32(from, true)
        : size === 2
          ? view.getUint16(from, true)
          : view.getUint16(from, true) | (view.getUint8(from + 2) << 16);
    for (let i = 0; i < 4; i++) into[at + i] = channels[i]!(value);
  };
}

/** One colour of a pixel, scaled to a byte; 255 without a mask, which is right for alpha. */
function channelReader(mask: number): (value: number) => number {
  if (mask === 0) return () => 255;
  const shift = 31 - Math.clz32(mask & -mask);
  const most = mask >>> shift;
  return (value) => Math.round((((value & mask) >>> shift) * 255) / most);
}

function damaged(why: string): Fault {
  return new Fault('READ_IMAGE_UNREADABLE', `the image cannot be decoded: ${why}`, {
    hint: 'it is damaged or its format is not supported; convert it to PNG or JPEG',
  });
}
