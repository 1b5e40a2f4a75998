/** Which rows of a long list are in the document: those in view, and some beyond, so that a quick scroll shows no hole. */
export interface RowWindow {
  readonly first: number;
  /** After the last one. */
  readonly end: number;
}

const BEYOND = 8;

export function rowWindow(count: number, rowHeight: number, scrollTop: number, height: number): RowWindow {
  const first = Math.max(0, Math.min(count, Math.floor(scrollTop / rowHeight)) - BEYOND);
  const end = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + BEYOND);
  return { first, end: Math.max(first, end) };
}
