/** A Windows bitmap with red rows above one white row, which is the lowest. */
export function bitmap(width: number, height: number, bits: 1 | 4 | 8 | 16 | 24 | 32): Uint8Array {
  const palette = bits <= 8 ? 2 : 0;
  const stride = Math.ceil((bits * width) / 32) * 4;
  const pixelsAt = 54 + palette * 4;
  const bytes = new Uint8Array(pixelsAt + stride * height);
  const view = new DataView(bytes.buffer);
  bytes.set([0x42, 0x4d]);
  view.setUint32(2, bytes.length, true);
  view.setUint32(10, pixelsAt, true);
  view.setUint32(14, 40, true);
  view.setInt32(18, width, true);
  view.setInt32(22, height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, bits, true);
  view.setUint32(46, palette, true);
  if (palette > 0) bytes.set([0, 0, 255, 0, 255, 255, 255, 0], 54);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) putPixel(view, pixelsAt + stride * y, x, bits, y === 0);
  }
  return bytes;
}

function putPixel(view: DataView, row: number, x: number, bits: number, white: boolean): void {
  if (bits <= 8) {
    const at = row + Math.floor((x * bits) / 8);
    const shift = 8 - bits - ((x * bits) % 8);
    view.setUint8(at, view.getUint8(at) | ((white ? 1 : 0) << shift));
  } else if (bits === 16) view.setUint16(row + x * 2, white ? 0x7fff : 0x7c00, true);
  else {
    const at = row + (x * bits) / 8;
    view.setUint8(at, white ? 255 : 0);
    view.setUint8(at + 1, white ? 255 : 0);
    view.setUint8(at + 2, 255);
  }
}
