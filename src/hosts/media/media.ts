import type { ImageLimits, Media } from '../media.ts';

/** The media of this machine; loads its packages on first use. */
export function media(limits: Partial<ImageLimits> = {}): Media {
  return {
    cleanImage: async (bytes, usual) => (await import('./image.ts')).cleanImage(bytes, { ...usual, ...limits }),
    pdfText: async (bytes, pages) => (await import('./pdf.ts')).pdfText(bytes, pages),
  };
}
