/** An environment file as an agent sees it that may not see its values: names and places, and `***` for what they hold. */
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
import { type CountWork, outcomeOf, wholeSubject } from './whole.ts';

/** Tells a line that changes from one that stays, where both read `KEY=***`; it is taken out of the diff again. */
const CHANGED = '\0';

/** The subject of a hidden file. Nothing in its answers depends on a value but whether it is empty. */
export function maskedSubject(document: Document, count: CountWork): Subject {
  const subject = wholeSubject(masked(document), count);
  return {
    ...subject,
    resolve: (path) => {
      const match = subject.resolve(path);
      if (match === undefined) return undefined;
      // Where a value ends says how long it is.
      const { end: _, byteRange: __, ...rest } = match;
      return rest;
    },
    effect: (edit) => wholeSubject(document).effect(edit),
  };
}

function masked(document: Document): Document {
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

/** What an edit would make of a hidden file; the answer is the same whether the new value is the old one or not. */
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

/** The line of a variable that is there already. */
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
