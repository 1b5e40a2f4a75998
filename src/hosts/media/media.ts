import type { Media } from '../media.ts';

/** What this machine has for pictures and documents; the packages behind it are loaded at the first use. */
export function media(): Media {
  return {
    cleanImage: async (bytes, limits) => (await import('./image.ts')).cleanImage(bytes, limits),
    pdfText: async (bytes, pages) => (await import('./pdf.ts')).pdfText(bytes, pages),
  };
}
