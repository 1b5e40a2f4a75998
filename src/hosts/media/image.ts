/** Images through sharp: checked by their header, rotated by their orientation, shrunk, encoded again without metadata. */
import type { Sharp, SharpOptions } from 'sharp';
import { Fault } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import type { CleanImage, ImageLimits } from '../media.ts';
import { decodeBmp, isBmp } from './bmp.ts';

type SharpModule = (input: Uint8Array, options?: SharpOptions) => Sharp;

const SECONDS = 20;
const QUALITIES = [85, 75, 65, 50, 35];
/** If no quality is low enough, the image is scaled by this factor, repeatedly. */
const SHRINK = 0.7;
const LEAST_SIDE = 64;

const MIME_TYPES: Readonly<Record<string, string>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  tiff: 'image/tiff',
  heif: 'image/avif',
};

export async function cleanImage(bytes: Uint8Array, limits: ImageLimits): Promise<CleanImage> {
  if (bytes.length > limits.maxInputBytes)
    throw new Fault(
      'READ_IMAGE_TOO_LARGE',
      `the image has ${bytes.length} bytes; the limit is ${limits.maxInputBytes}`,
      {
        hint: 'scale it down first',
      },
    );
  const sharp = await loadSharp();
  try {
    const { open, original, opaquePhoto } = await inspect(sharp, bytes, limits);
    const side = Math.min(limits.maxDimensionPx, Math.max(original.width, original.height));
    return { ...(await encode(open, side, opaquePhoto, limits.maxBytes)), original };
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('READ_IMAGE_UNREADABLE', `the image cannot be decoded: ${plainReason(error)}`, {
      hint: 'it is damaged or its format is not supported; convert it to PNG or JPEG',
      cause: error,
    });
  }
}

async function loadSharp(): Promise<SharpModule> {
  try {
    return (await import('sharp')).default;
  } catch (error) {
    throw new Fault('READ_IMAGE_UNAVAILABLE', 'images need the package sharp, which is not installed', {
      hint: 'run npm install sharp where pincer is installed',
      cause: error,
    });
  }
}

/** Reads the header only: nothing is decoded before the size is checked. */
async function inspect(sharp: SharpModule, bytes: Uint8Array, limits: ImageLimits) {
  if (isBmp(bytes)) {
    const bmp = decodeBmp(bytes, (width, height) => refuseBomb(width, height, limits));
    const open = () =>
      sharp(bmp.pixels, { raw: { width: bmp.width, height: bmp.height, channels: 4 } }).timeout({ seconds: SECONDS });
    return {
      open,
      original: { mimeType: 'image/bmp', width: bmp.width, height: bmp.height, bytes: bytes.length },
      opaquePhoto: false,
    };
  }
  const options: SharpOptions = {
    limitInputPixels: limits.maxInputPixels,
    pages: 1,
    failOn: 'error',
    sequentialRead: true,
  };
  const header = await sharp(bytes, { ...options, limitInputPixels: false }).metadata();
  const mimeType = MIME_TYPES[header.format ?? ''];
  if (mimeType === undefined)
    throw new Fault('READ_IMAGE_UNREADABLE', `unsupported image format: ${header.format}`, {
      hint: 'convert it to PNG or JPEG',
    });
  refuseBomb(header.width, header.height, limits);
  const turned = (header.orientation ?? 1) >= 5; // EXIF orientations 5 to 8 swap width and height
  return {
    open: () => sharp(bytes, options).timeout({ seconds: SECONDS }).rotate(),
    original: {
      mimeType,
      width: turned ? header.height : header.width,
      height: turned ? header.width : header.height,
      bytes: bytes.length,
    },
    opaquePhoto: mimeType === 'image/jpeg',
  };
}

function refuseBomb(width: number, height: number, { maxInputPixels }: ImageLimits): void {
  if (width * height <= maxInputPixels) return;
  throw new Fault('READ_IMAGE_TOO_LARGE', `the image has ${width}x${height} pixels; the limit is ${maxInputPixels}`, {
    hint: 'scale it down first',
    details: { width, height },
  });
}

/** Lossless images stay PNG if that is small enough; then JPEG with decreasing quality, then with decreasing size. */
async function encode(open: () => Sharp, side: number, photo: boolean, maxBytes: number) {
  for (let now = side; ; now = Math.floor(now * SHRINK)) {
    const sized = () => open().resize({ width: now, height: now, fit: 'inside', withoutEnlargement: true });
    if (!photo) {
      const png = await sized()
        .toColourspace('srgb')
        .png({ compressionLevel: 9 })
        .toBuffer({ resolveWithObject: true });
      if (png.data.length <= maxBytes) return result(png, 'image/png');
    }
    for (const quality of QUALITIES) {
      const jpeg = await sized()
        .flatten({ background: '#ffffff' })
        .jpeg({ quality })
        .toBuffer({ resolveWithObject: true });
      if (jpeg.data.length <= maxBytes) return result(jpeg, 'image/jpeg');
    }
    if (now <= LEAST_SIDE)
      throw new Fault('READ_IMAGE_TOO_LARGE', `the image cannot be shrunk to ${maxBytes} bytes`, {
        hint: 'scale it down first',
      });
  }
}

function result({ data, info }: { data: Uint8Array; info: { width: number; height: number } }, mimeType: string) {
  return { bytes: data, mimeType, width: info.width, height: info.height };
}

function plainReason(error: unknown): string {
  return messageOf(error).split('\n')[0]!.slice(0, 200);
}
