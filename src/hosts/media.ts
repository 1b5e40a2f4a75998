/** THE SHAPE of what turns pictures and documents into what a model can take. Interfaces only. */

export interface ImageLimits {
  /** The longest side, in pixels. */
  readonly maxDimensionPx: number;
  /** Of the encoded picture, before base64. */
  readonly maxBytes: number;
  /** What a picture may have before it is decoded; guards against pixel bombs. */
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
  /** One text per page asked for, in order. */
  readonly pages: readonly { readonly number: number; readonly text: string }[];
  readonly totalPages: number;
}

export interface Media {
  /** Decodes, shrinks where the limits ask, and encodes again without metadata. Faults READ_IMAGE_* when it cannot. */
  cleanImage(bytes: Uint8Array, limits: ImageLimits): Promise<CleanImage>;
  pdfText(bytes: Uint8Array, pages: { readonly from: number; readonly to: number }): Promise<PdfText>;
}
