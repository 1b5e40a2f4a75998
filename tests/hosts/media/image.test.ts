import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import { media } from '../../../src/hosts/media/media.ts';
import type { ImageLimits } from '../../../src/hosts/media.ts';
import { bitmap } from './bitmap.ts';

const LIMITS: ImageLimits = {
  maxDimensionPx: 1200,
  maxBytes: 3_538_944,
  maxInputPixels: 25_000_000,
  maxInputBytes: 10 << 20,
};
const plain = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: { r: 200, g: 30, b: 30, alpha: 0.5 } } });

/** A picture that no encoder can make small. */
function noise(width: number, height: number) {
  let state = 1;
  const next = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 24;
  return sharp(Uint8Array.from({ length: width * height * 3 }, next), { raw: { width, height, channels: 3 } });
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'no fault',
    (error) => (error instanceof Fault ? error.code : Promise.reject(error)),
  );
}

describe('cleanImage', () => {
  it.each([
    ['png', 'image/png', 'image/png'],
    ['jpeg', 'image/jpeg', 'image/jpeg'],
    ['webp', 'image/webp', 'image/png'],
    ['gif', 'image/gif', 'image/png'],
    ['tiff', 'image/tiff', 'image/png'],
    ['avif', 'image/avif', 'image/png'],
  ] as const)('shows %s', async (format, original, shown) => {
    const bytes = await plain(60, 40).toFormat(format).toBuffer();
    const image = await media().cleanImage(bytes, LIMITS);
    expect({ ...image, bytes: undefined }).toEqual({
      bytes: undefined,
      mimeType: shown,
      width: 60,
      height: 40,
      original: { mimeType: original, width: 60, height: 40, bytes: bytes.length },
    });
    expect((await sharp(image.bytes).metadata()).width).toBe(60);
  });

  it('makes the longest side fit', async () => {
    const image = await media().cleanImage(await plain(3000, 1500).png().toBuffer(), LIMITS);
    expect([image.width, image.height, image.original.width, image.original.height]).toEqual([1200, 600, 3000, 1500]);
  });

  it('rotates a photo upright and removes its metadata', async () => {
    const bytes = await plain(60, 40)
      .withExif({ IFD0: { Copyright: 'secret place' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const image = await media().cleanImage(bytes, LIMITS);
    expect([image.width, image.height, image.original.width, image.original.height]).toEqual([40, 60, 40, 60]);
    const { exif, orientation } = await sharp(image.bytes).metadata();
    expect([exif, orientation]).toEqual([undefined, undefined]);
  });

  it('takes the first frame of an animation', async () => {
    const frames = await Promise.all(
      [10, 20, 30].map((r) =>
        sharp({ create: { width: 8, height: 8, channels: 3, background: { r, g: 0, b: 0 } } })
          .png()
          .toBuffer(),
      ),
    );
    const bytes = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    const image = await media().cleanImage(bytes, LIMITS);
    expect([image.width, image.height, image.original.height]).toEqual([8, 8, 8]);
  });

  it('decreases quality, then size, until the bytes fit', async () => {
    const bytes = await noise(500, 500).png().toBuffer();
    const some = await media().cleanImage(bytes, { ...LIMITS, maxBytes: 200_000 });
    expect([some.mimeType, some.width, some.bytes.length <= 200_000]).toEqual(['image/jpeg', 500, true]);
    const few = await media().cleanImage(bytes, { ...LIMITS, maxBytes: 20_000 });
    expect([few.width < 500, few.bytes.length <= 20_000]).toEqual([true, true]);
    expect(await codeOf(media().cleanImage(bytes, { ...LIMITS, maxBytes: 10 }))).toBe('READ_IMAGE_TOO_LARGE');
  });

  it('refuses a decompression bomb by its header, before it is decoded', async () => {
    const bytes = await plain(6000, 5000).png().toBuffer();
    expect(bytes.length).toBeLessThan(1_000_000);
    expect(await codeOf(media().cleanImage(bytes, LIMITS))).toBe('READ_IMAGE_TOO_LARGE');
    const lying = bitmap(2, 2, 24);
    new DataView(lying.buffer).setInt32(18, 2 ** 30, true);
    expect(await codeOf(media().cleanImage(lying, LIMITS))).toBe('READ_IMAGE_TOO_LARGE');
  });

  it('refuses what it cannot decode', async () => {
    const bytes = await plain(60, 40).png().toBuffer();
    expect(await codeOf(media().cleanImage(bytes.subarray(0, 60), LIMITS))).toBe('READ_IMAGE_UNREADABLE');
    expect(
      await codeOf(
        media().cleanImage(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>'), LIMITS),
      ),
    ).toBe('READ_IMAGE_UNREADABLE');
    expect(await codeOf(media().cleanImage(bytes, { ...LIMITS, maxInputBytes: 10 }))).toBe('READ_IMAGE_TOO_LARGE');
  });
});

describe('bitmaps', () => {
  it.each([1, 4, 8, 16, 24, 32] as const)('of %i bits are decoded, upside down as they are stored', async (bits) => {
    const image = await media().cleanImage(bitmap(3, 2, bits), LIMITS);
    const { data } = await sharp(image.bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    // The stored first row is the lowest: white there, and red above.
    expect([...data]).toEqual([255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255]);
    expect(image.original).toMatchObject({ mimeType: 'image/bmp', width: 3, height: 2 });
  });

  it('that are truncated or compressed are refused', async () => {
    expect(await codeOf(media().cleanImage(bitmap(3, 2, 24).subarray(0, 60), LIMITS))).toBe('READ_IMAGE_UNREADABLE');
    const packed = bitmap(3, 2, 8);
    packed[30] = 1;
    expect(await codeOf(media().cleanImage(packed, LIMITS))).toBe('READ_IMAGE_UNREADABLE');
  });
});
