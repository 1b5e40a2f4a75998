import type { ImageLimits, Media } from '../media.ts';

/** What this machine has for pictures and documents; the packages behind it are loaded at the first use. */
export function media(limits: Partial<ImageLimits> = {}): Media {
  return {
    cleanImage: async (bytes, usual) => (await import('./image.ts')).cleanImage(bytes, { ...usual, ...limits }),
    pdfText: async (bytes, pages) => (await import('./pdf.ts')).pdfText(bytes, pages),
  };
}
