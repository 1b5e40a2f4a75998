import { Fault } from '../../base/fault.ts';
import type { Files, OpenFile } from '../../hosts/files/shape.ts';
import type { OcPath } from '../../text/address/address.ts';
import { stepsOf } from '../../text/address/steps.ts';
import type { Document, KindName } from '../../text/kind.ts';
import { loadKind } from '../../text/kinds/registry.ts';
import { decodeText } from '../../text/lines/bytes.ts';
import type { Subject } from './subject.ts';
import { type CountWork, wholeSubject } from './whole.ts';

/** From this size on a file is read in windows by the scanners, where its kind has them; below it is held in memory. */
const BIG = 256 << 10;

/** A JavaScript string holds little more. */
const MOST_IN_MEMORY = 500 << 20;

/** What makes a subject of an open file; loaded before the file is locked, since loading is not synchronous. */
export interface Loader {
  readonly kind: KindName;
  subject(file: OpenFile): Subject;
  document(file: OpenFile): Document;
  parse(text: string): Document;
  /** Counts work on a document; its subjects do so themselves. */
  readonly count: CountWork;
}

/**
 * The loader for a file of this kind and size. Which one is chosen changes the cost of
 * an answer, never the answer; `path` is the only address it will be asked for, if that is known.
 */
export async function loaderFor(kind: KindName, files: Files, size: number, path?: OcPath): Promise<Loader> {
  const adapter = await loadKind(kind, { frontmatter: path?.section?.includes('[frontmatter]') ?? true });
  const document = (file: OpenFile) => adapter.parse(readText(file));
  const count: CountWork = (characters) => files.countWork?.(characters);
  const whole = (file: OpenFile) => wholeSubject(document(file), count);
  const base = { kind, document, count, parse: (text: string) => adapter.parse(text) };
  if (kind === 'jsonl' && (size >= BIG || isAppend(path))) {
    const { linesSubject } = await import('./lines.ts');
    return { ...base, subject: (file) => linesSubject(file, files.lineCounts(), () => whole(file), count) };
  }
  if (size >= BIG && kind === 'jsonc') {
    const { bigJsonSubject } = await import('./big-json.ts');
    return { ...base, subject: (file) => bigJsonSubject(file, () => whole(file)) };
  }
  return { ...base, subject: whole };
}

/** A program that keeps a log open goes on writing to the same file, so a line is added to it whatever its size. */
function isAppend(path: OcPath | undefined): boolean {
  const first = path === undefined ? undefined : stepsOf(path)[0]?.sub;
  return first?.type === 'insert' && first.key === undefined && first.index === undefined;
}

/** The whole text of a file, bytes that are no UTF-8 kept. */
export function readText(file: OpenFile): string {
  if (file.size > MOST_IN_MEMORY)
    throw new Fault(
      'OC_PATH_INPUT_TOO_LARGE',
      `${file.located.path} has ${file.size} bytes, and this question needs the whole document in memory (${MOST_IN_MEMORY} at most)`,
      { hint: 'JSONL is read at any size; in a JSON file of any size one leaf can be resolved and set' },
    );
  return decodeText(file.readAll());
}
