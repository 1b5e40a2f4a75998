import type { Files, OpenFile } from '../../hosts/host.ts';
import type { Document, KindName } from '../../text/kinds/kind.ts';
import { loadKind } from '../../text/kinds/registry.ts';
import { decodeText } from '../../text/lines/bytes.ts';
import type { Subject } from './subject.ts';
import { wholeSubject } from './whole.ts';

/** From this size on a JSON file is sought through instead of held. */
const BIG = 1 << 20;

/** What makes a subject of an open file; loaded before the file is locked, since loading is not synchronous. */
export interface Loader {
  readonly kind: KindName;
  subject(file: OpenFile): Subject;
  document(file: OpenFile): Document;
  parse(text: string): Document;
}

export async function loaderFor(kind: KindName, files: Files): Promise<Loader> {
  const adapter = await loadKind(kind);
  const document = (file: OpenFile) => adapter.parse(decodeText(file.readAll()));
  const whole = (file: OpenFile) => wholeSubject(document(file));
  const base = { kind, document, parse: (text: string) => adapter.parse(text) };
  if (kind === 'jsonl') {
    const { linesSubject } = await import('./lines.ts');
    return { ...base, subject: (file) => linesSubject(file, files.lineCounts(), () => whole(file)) };
  }
  if (kind === 'jsonc') {
    const { bigJsonSubject } = await import('./big-json.ts');
    return { ...base, subject: (file) => (file.size < BIG ? whole(file) : bigJsonSubject(file, () => whole(file))) };
  }
  return { ...base, subject: whole };
}
