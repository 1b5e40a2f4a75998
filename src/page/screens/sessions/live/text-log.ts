import { signal } from '@preact/signals';
import { piecesOf } from '../../../text/pieces.ts';
import type { Gap } from './live-output.ts';

/** A part of the output as text, or a place where output is missing. */
export type TextBlock =
  | { readonly id: number; readonly text: string; readonly gap?: undefined }
  | { readonly id: number; readonly gap: Gap; readonly text?: undefined };

/** The characters that stay. */
const MOST_CHARS = 256 * 1024;
/** So that gaps and hidden characters are bounded too. */
const GAP_CHARS = 64;
const BADGE_CHARS = 32;
/** The ids of gaps at the start are below those of all others. */
const FIRST_GAPS = 100;
/** A block is drawn again when it grows, so it stays small. */
const BLOCK_CHARS = 8 * 1024;

/** The end of the output of a session without a terminal, as text. */
export class TextLog {
  readonly blocks = signal<readonly TextBlock[]>([]);
  readonly #decoders = { out: new TextDecoder(), err: new TextDecoder() };
  #nextId = 1;

  add(bytes: Uint8Array, stream: 'out' | 'err'): void {
    const text = this.#decoders[stream].decode(bytes, { stream: true }).replaceAll('\r\n', '\n');
    if (text === '') return;
    const blocks = [...this.blocks.peek()];
    const last = blocks.at(-1);
    const isOpen = last?.gap === undefined && last !== undefined && last.text.length < BLOCK_CHARS;
    if (isOpen) blocks.pop();
    const joined = isOpen ? last.text + text : text;
    for (let at = 0; at < joined.length; ) {
      const end = blockEnd(joined, at);
      blocks.push({ id: isOpen && at === 0 ? last.id : this.#nextId++, text: joined.slice(at, end) });
      at = end;
    }
    this.blocks.value = bounded(blocks);
  }

  gap(gap: Gap): void {
    this.blocks.value = bounded([...this.blocks.peek(), { id: this.#nextId++, gap }]);
  }
}

/** At the end of a line where there is one, and never between the two units of a character. */
function blockEnd(text: string, start: number): number {
  const most = start + BLOCK_CHARS;
  if (most >= text.length) return text.length;
  const line = text.lastIndexOf('\n', most) + 1;
  if (line > start) return line;
  const isInside = (text.charCodeAt(most - 1) & 0xfc00) === 0xd800;
  return isInside ? most - 1 : most;
}

/** Drops the first blocks; what they had becomes gaps at the start, one for each reason. */
function bounded(blocks: readonly TextBlock[]): readonly TextBlock[] {
  let chars = 0;
  const first = blocks.findLastIndex((block) => {
    chars += sizeOf(block);
    return chars > MOST_CHARS;
  });
  if (first < 0) return blocks;
  const missing = new Map<Gap['why'], number>();
  for (const block of blocks.slice(0, first + 1)) {
    const { why, bytes } = block.gap ?? { why: 'skipped', bytes: block.text?.length ?? 0 };
    missing.set(why, (missing.get(why) ?? 0) + bytes);
  }
  const gaps = [...missing].map(([why, bytes], i) => ({ id: i - FIRST_GAPS, gap: { why, bytes } }));
  return [...gaps, ...blocks.slice(first + 1)];
}

/** What it costs to show a block. A hidden character is an element of its own. */
function sizeOf({ text }: TextBlock): number {
  if (text === undefined) return GAP_CHARS;
  return text.length + BADGE_CHARS * piecesOf(text, true).filter(({ hidden }) => hidden !== undefined).length;
}
