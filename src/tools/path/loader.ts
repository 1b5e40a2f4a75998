import { Fault } from '../../base/fault.ts';
import type { Files, OpenFile } from '../../hosts/files/shape.ts';
import type { OcPath } from '../../text/address/address.ts';
import { stepsOf } from '../../text/address/steps.ts';
import type { Document, KindName } from '../../text/kind.ts';
import { loadKind } from '../../text/kinds/registry.ts';
import { decodeText } from '../../text/lines/bytes.ts';
import type { Subject } from './subject.ts';
import { type CountWork, memorySubject } from './memory-subject.ts';

/** From this size on, files are read in windows, if there is a scanner for their kind. */
const BIG = 256 << 10;

/** Close to the maximum length of a JavaScript string. */
const MOST_IN_MEMORY = 500 << 20;

/** Makes subjects of open files. Imports are asynchronous, so a loader is created before the file is locked. */
export interface Loader {
  readonly kind: KindName;
  subject(file: OpenFile): Subject;
  document(file: OpenFile): Document;
  parse(text: string): Document;
  /** Counts work on `document`; subjects count theirs. */
  readonly count: CountWork;
}

/**
 * Returns the loader for a file of this kind and size. The choice changes the cost of an answer, never the answer. `path` is the
 * only address that will be used, if it is known.
 */
export async function loaderFor(kind: KindName, files: Files, size: number, path?: OcPath): Promise<Loader> {
  const adapter = await loadKind(kind, { frontmatter: path?.section?.includes('[frontmatter]') ?? true });
  const document = (file: OpenFile) => adapter.parse(readText(file));
  const count: CountWork = (characters) => files.countWork?.(characters);
  const whole = (file: OpenFile) => memorySubject(document(file), count);
  const base = { kind, document, count, parse: (text: string) => adapter.parse(text) };
  if (kind === 'jsonl' && (size >= BIG || isAppend(path))) {
    const { linesSubject } = await import('./lines-subject.ts');
    return { ...base, subject: (file) => linesSubject(file, files.lineCounts(), () => whole(file), count) };
  }
  if (size >= BIG && kind === 'jsonc') {
    const { bigJsonSubject } = await import('./big-json-subject.ts');
    return { ...base, subject: (file) => bigJsonSubject(file, () => whole(file)) };
  }
  return { ...base, subject: whole };
}

/** A program may keep a log open, so a line is always appended in place, also to a small file. */
function isAppend(path: OcPath | undefined): boolean {
  const first = path === undefined ? undefined : stepsOf(path)[0]?.sub;
  return first?.type === 'insert' && first.key === undefined && first.index === undefined;
}

/** Keeps bytes that are not valid UTF-8. */
export function readText(file: OpenFile): string {
  if (file.size > MOST_IN_MEMORY)
    throw new Fault(
      'OC_PATH_INPUT_TOO_LARGE',
      `${file.located.path} has ${file.size} bytes, but this operation needs the whole document in memory (limit ${MOST_IN_MEMORY})`,
      { hint: 'JSONL has no size limit; in JSON, resolve or set one leaf' },
    );
  return decodeText(file.readAll());
}
