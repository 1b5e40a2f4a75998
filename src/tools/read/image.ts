/** Images: scaled down and re-encoded for a model, with a note about the scale. */
import { Fault } from '../../base/fault.ts';
import type { CleanImage, ImageLimits, Media } from '../../hosts/media.ts';
import type { ToolContext } from '../tool.ts';
import type { Content, ToolResult } from '../../wire/tool.ts';
import { toBase64 } from './base64.ts';
import { sizeText } from './limits.ts';
import { allBytes, type Subject } from './subject.ts';

/** Providers accept at most 4.5 MB in base64. */
export const IMAGE_LIMITS: ImageLimits = {
  maxDimensionPx: 1200,
  maxBytes: (4_718_592 / 4) * 3,
  maxInputPixels: 25_000_000,
  maxInputBytes: 10 << 20,
};

/** The maximum to read into memory; `IMAGE_LIMITS` are stricter. */
const MOST_BYTES = 64 << 20;

export async function readImage(subject: Subject, context: ToolContext): Promise<ToolResult> {
  const { source, name, details } = subject;
  if (source.size > MOST_BYTES)
    throw new Fault('READ_IMAGE_TOO_LARGE', `the image ${name} has ${sizeText(source.size)}`, {
      hint: 'scale it down first',
      details: { ...details, bytes: source.size },
    });
  const media = await mediaOf(context, name);
  const image = await aboutSubject(subject, media.cleanImage(allBytes(subject), IMAGE_LIMITS));
  const note = [`Read image file [${image.original.mimeType}]`, imageNote(image), ...subject.notices].join('\n');
  return {
    content: [{ type: 'text', text: note }, imageContent(image)],
    details: {
      ...details,
      kind: 'image',
      mimeType: image.mimeType,
      width: image.width,
      height: image.height,
      bytes: source.size,
      original: image.original,
    },
  };
}

export async function mediaOf(context: ToolContext, name: string): Promise<Media> {
  if (context.media !== undefined) return context.media();
  throw new Fault(
    'READ_MEDIA_UNAVAILABLE',
    `${name} is an image or a document, and these tools have no media support`,
    {
      hint: 'ask the operator to provide media',
    },
  );
}

/** Adds the name of the file to a fault of the converter. */
export async function aboutSubject<T>({ name, details }: Subject, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault(error.code, `${name}: ${error.message}`, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      details: { ...details, ...error.details },
      cause: error,
    });
  }
}

export function imageContent({ bytes, mimeType }: CleanImage): Content {
  return { type: 'image', data: toBase64(bytes), mimeType };
}

export function imageNote({ width, height, original }: CleanImage): string {
  const size = `${original.width}x${original.height}`;
  if (width === original.width && height === original.height) return `[Image: ${size}.]`;
  const scale = Number((original.width / width).toFixed(2));
  return `[Image: original ${size}, displayed at ${width}x${height}. Multiply coordinates by ${scale} to map to original image.]`;
}
