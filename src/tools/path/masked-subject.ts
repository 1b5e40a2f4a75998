/** An environment file with hidden values: names and positions are visible, values are `***`. */
import type { OcPath } from '../../text/address/address.ts';
import { JsonObject } from '../../text/json/value.ts';
import type { Document, Leaf, Place } from '../../text/kind.ts';
import { lineSplices } from '../../text/lines/compare.ts';
import { unifiedDiff } from '../../text/lines/unified.ts';
import { locateOcPath } from '../../text/path/read.ts';
import { matchOf } from '../../text/walk/match.ts';
import { HIDDEN, redactSecrets } from '../secrets/redact.ts';
import type { SetAnswer } from './answer.ts';
import type { Edit, Subject } from './subject.ts';
import { type CountWork, outcomeOf, memorySubject } from './memory-subject.ts';

/** Marks a changed line, where the old and the new line are both `KEY=***`; removed from the diff afterwards. */
const CHANGED = '\0';

/** No answer depends on a value, except on whether it is empty. */
export function maskedSubject(document: Document, count: CountWork): Subject {
  const subject = memorySubject(masked(document), count);
  return {
    ...subject,
    resolve: (path) => {
      const match = subject.resolve(path);
      if (match === undefined) return undefined;
      // The end of a value would disclose its length.
      const { end: _, byteRange: __, ...rest } = match;
      return rest;
    },
    effect: (edit) => memorySubject(document).effect(edit),
  };
}

export function masked(document: Document): Document {
  const hide = (text: string): string => (text === '' ? '' : HIDDEN);
  const leaf = (place: Place): Leaf => ({ valueText: hide(document.leaf(place).valueText), leafType: 'string' });
  const isLeaf = (place: Place): boolean => place.shape === 'leaf';
  return {
    kind: document.kind,
    text: document.text,
    problems: document.problems,
    root: document.root,
    children: (place, slot) => document.children(place, slot),
    child: (place, slot, name, quoted) => document.child(place, slot, name, quoted),
    probe: () => undefined,
    leaf,
    value: (place) =>
      isLeaf(place)
        ? leaf(place).valueText
        : new JsonObject(
            Array.from(document.children(place, 'section'), (child) => [child.name, leaf(child).valueText]),
          ),
    raw: (place) => (isLeaf(place) ? leaf(place).valueText : redactSecrets(document.text).text),
    write: (place, value) => document.write(place, value),
    container: (place) => document.container(place),
    insert: (place, slot, where, rest, value) => document.insert(place, slot, where, rest, value),
    remove: (place) => document.remove(place),
  };
}

/** The answer does not disclose whether the new value equals the old one. */
export function maskedPreview(document: Document, edit: Edit, fsPath: string, diff: boolean): SetAnswer {
  const outcome = outcomeOf(document, edit);
  if (!outcome.ok) return outcome;
  const before = redactSecrets(document.text).text;
  const after = redactSecrets(outcome.text).text;
  const answer = { ok: true, dryRun: true, bytes: after, fsPath } as const;
  if (!diff) return answer;
  const line = edit.verb === 'set' ? lineOf(document, edit.path) : undefined;
  const shown = line === undefined ? after : marked(before, line);
  return { ...answer, diff: unifiedDiff(fsPath, before, lineSplices(before, shown)).replaceAll(CHANGED, '') };
}

/** Undefined for a new variable. */
function lineOf(document: Document, path: OcPath): number | undefined {
  const found = locateOcPath(document, path);
  return found === undefined || found.insertion ? undefined : matchOf(document, found).line;
}

function marked(text: string, line: number): string {
  return text
    .split('\n')
    .map((one, i) => (i === line - 1 ? one + CHANGED : one))
    .join('\n');
}
