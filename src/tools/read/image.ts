/** A picture as a model can take it: small, clean, and with a note how its pixels relate to the file's. */
import { Fault } from '../../base/fault.ts';
import type { CleanImage, ImageLimits, Media } from '../../hosts/media.ts';
import type { ToolContext } from '../tool.ts';
import type { Content, ToolResult } from '../../wire/tool.ts';
import { toBase64 } from './base64.ts';
import { sizeText } from './limits.ts';
import { allBytes, type Subject } from './subject.ts';

/** 4.5 MB in base64 is what providers take at most. */
export const IMAGE_LIMITS: ImageLimits = {
  maxDimensionPx: 1200,
  maxBytes: (4_718_592 / 4) * 3,
  maxInputPixels: 25_000_000,
  maxInputBytes: 10 << 20,
};

/** No picture is even taken into memory beyond this; what it may have is for the limits to say. */
const MOST_HELD = 64 << 20;

export async function readImage(subject: Subject, context: ToolContext): Promise<ToolResult> {
  const { source, name, details } = subject;
  if (source.size > MOST_HELD)
    throw new Fault('READ_IMAGE_TOO_LARGE', `${name} is a picture of ${sizeText(source.size)}`, {
      hint: 'make it smaller first',
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

/** What turns pictures and documents into content, or a fault where there is no such thing. */
export async function mediaOf(context: ToolContext, name: string): Promise<Media> {
  if (context.media !== undefined) return context.media();
  throw new Fault('READ_MEDIA_UNAVAILABLE', `${name} is a picture or document, and nothing here can show it`, {
    hint: 'ask the operator to provide media',
  });
}

/** The fault of what knows only bytes, with the name of the file. */
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
