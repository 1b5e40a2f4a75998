import type { RecordingMark, RecordingPage } from '../../../../wire/sessions/recording.ts';
import { CAST_START, type CastPage, type CastPosition, readCastPage, type RecordedEvent } from './cast-reader.ts';

/** A page of the recording: where it begins in the file, in time and in output. */
export interface IndexedPage {
  /** The byte position in the file. */
  readonly from: number;
  readonly start: CastPosition;
  /** Characters of output before the page. */
  readonly outputBefore: number;
}

export interface TimedMark {
  readonly ms: number;
  /** A resize has no mark in the file, and is one on the scrubber. */
  readonly mark: RecordingMark | { readonly kind: 'resize' };
}

export type LoadPage = (from: number, maxBytes: number) => Promise<RecordingPage>;

/** One call loads this much. */
const PAGE_BYTES = 0x8_0000;
/** The text of pages that stays in memory. */
const CACHED_BYTES = 8 << 20;
/** A person cannot distinguish more marks on the scrubber. */
const MOST_MARKS = 1000;

/** A recording that is read in pages. It keeps where the pages begin, the marks, and the last pages that were used. */
export class Recording {
  readonly #load: LoadPage;
  readonly #pages: IndexedPage[] = [];
  readonly #cache = new Map<number, { readonly page: CastPage; readonly bytes: number }>();
  readonly #marks: TimedMark[] = [];
  #next = 0;
  #end: CastPosition = CAST_START;
  #output = 0;
  #isDone = false;
  #isTruncated = false;
  #unlistedMarks = 0;

  constructor(load: LoadPage) {
    this.#load = load;
  }

  get pages(): readonly IndexedPage[] {
    return this.#pages;
  }

  get marks(): readonly TimedMark[] {
    return this.#marks;
  }

  /** Marks beyond the limit. */
  get unlistedMarks(): number {
    return this.#unlistedMarks;
  }

  get durationMs(): number {
    return this.#end.ms;
  }

  get bytes(): number {
    return this.#next;
  }

  /** The session has ended, and all is read. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** A part of the output is not recorded. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** Reads what was recorded since the last call. `onPage` is called after each page. */
  async extend(onPage: () => void = () => undefined): Promise<void> {
    while (!this.#isDone) {
      const from = this.#next;
      const loaded = await this.#load(from, PAGE_BYTES);
      if (from !== this.#next) return; // another call has read it
      this.#isTruncated ||= loaded.truncated === true;
      this.#isDone = loaded.done;
      if (loaded.next > from) this.#add(from, loaded);
      onPage();
      if (loaded.next <= from) return;
    }
  }

  async events(index: number): Promise<readonly RecordedEvent[]> {
    const page = this.#pages[index];
    if (page === undefined) return [];
    const cached = this.#cache.get(index);
    if (cached !== undefined) {
      this.#keep(index, cached.page, cached.bytes);
      return cached.page.events;
    }
    const bytes = (this.#pages[index + 1]?.from ?? this.#next) - page.from;
    const { text } = await this.#load(page.from, bytes);
    const read = readCastPage(text, page.start, index === 0);
    this.#keep(index, read, bytes);
    return read.events;
  }

  #add(from: number, { text, next }: RecordingPage): void {
    const page = readCastPage(text, this.#end, this.#pages.length === 0);
    this.#pages.push({ from, start: page.start, outputBefore: this.#output });
    for (const event of page.events) this.#note(event);
    this.#keep(this.#pages.length - 1, page, next - from);
    this.#end = page.end;
    this.#next = next;
  }

  #note(event: RecordedEvent): void {
    if (event.kind === 'output') this.#output += event.text.length;
    if (event.kind !== 'mark' && event.kind !== 'resize') return;
    if (this.#marks.length >= MOST_MARKS) this.#unlistedMarks++;
    else this.#marks.push({ ms: event.ms, mark: event.kind === 'mark' ? event.mark : { kind: 'resize' } });
  }

  /** The pages that were used last stay. */
  #keep(index: number, page: CastPage, bytes: number): void {
    this.#cache.delete(index);
    this.#cache.set(index, { page, bytes });
    let total = [...this.#cache.values()].reduce((sum, entry) => sum + entry.bytes, 0);
    for (const [oldest, entry] of this.#cache) {
      if (total <= CACHED_BYTES || oldest === index) break;
      this.#cache.delete(oldest);
      total -= entry.bytes;
    }
  }
}
