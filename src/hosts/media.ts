/** Interfaces of what converts images and documents for a model. */

export interface ImageLimits {
  /** The longest side, in pixels. */
  readonly maxDimensionPx: number;
  /** Of the encoded image, before base64. */
  readonly maxBytes: number;
  /** The limit before decoding; protects against decompression bombs. */
  readonly maxInputPixels: number;
  readonly maxInputBytes: number;
}

export interface CleanImage {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
  readonly original: {
    readonly mimeType: string;
    readonly width: number;
    readonly height: number;
    readonly bytes: number;
  };
}

export interface PdfText {
  /** One text per requested page, in order. */
  readonly pages: readonly { readonly number: number; readonly text: string }[];
  readonly totalPages: number;
}

export interface Media {
  /** Decodes, shrinks to the limits, and encodes without metadata. Throws READ_IMAGE_* faults. */
  cleanImage(bytes: Uint8Array, limits: ImageLimits): Promise<CleanImage>;
  pdfText(bytes: Uint8Array, pages: { readonly from: number; readonly to: number }): Promise<PdfText>;
}
