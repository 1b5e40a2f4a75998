import { describe, expect, it } from 'vitest';
import { parseOcPath } from '../../../src/text/address/index.ts';
import { parseJsonc } from '../../../src/text/kinds/jsonc/jsonc.ts';
import { parseJsonl } from '../../../src/text/kinds/jsonl/jsonl.ts';
import type { Document } from '../../../src/text/kind.ts';
import { Draft } from '../../../src/tools/path/draft.ts';
import type { Edit } from '../../../src/tools/path/subject.ts';
import { outcomeOf } from '../../../src/tools/path/memory-subject.ts';
import { fc } from '../../support/property.ts';

const JSON_TEXT = '{"a": 1, "b": "x", "c": [1, 2, {"d": null}], "e": true}';
const KINDS: readonly [string, (text: string) => Document, string, string][] = [
  ['jsonc', parseJsonc, JSON_TEXT, ''],
  ['jsonl', parseJsonl, `${JSON_TEXT}\n{bad\n${JSON_TEXT}`, '$last/'],
];
const PLACES = ['a', 'b', 'c', 'c/0', 'c/1', 'c/$last', 'c/#2/d', 'c/+0', 'c/+', '+z', 'z', 'e', 'missing'];

const edits = (lead: string) =>
  fc
    .array(
      fc.tuple(
        fc.constantFrom(...PLACES),
        fc.constantFrom('1', 'x', 'true', 'null', '"s"'),
        fc.constantFrom('text', 'json', 'delete'),
      ),
      { minLength: 1, maxLength: 12 },
    )
    .map((all) =>
      all.map(([place, text, how]): Edit => {
        const path = parseOcPath(`oc://f.json/${lead}${place}`, { deep: true });
        if (how === 'delete') return { verb: 'delete', path };
        const value = how === 'text' ? { text } : { json: text };
        return { verb: 'set', path, value, options: {} };
      }),
    );

describe('a draft', () => {
  it.each(KINDS)('of %s ends as if the text were parsed after each edit', (_kind, parse, text, lead) => {
    fc.assert(
      fc.property(edits(lead), (all) => {
        const draft = new Draft(parse(text), parse);
        let document = parse(text);
        for (const edit of all) {
          const expected = outcomeOf(document, edit);
          const outcome = draft.apply(edit);
          expect(outcome.ok).toBe(expected.ok);
          if (!expected.ok) expect(outcome).toEqual(expected);
          else document = parse(expected.text);
        }
        expect(draft.text()).toBe(document.text);
      }),
    );
  });

  it('sees the type of an earlier edit', () => {
    const draft = new Draft(parseJsonc('{"n": 1}'), parseJsonc);
    const path = parseOcPath('oc://f.json/n');
    draft.apply({ verb: 'set', path, value: { json: 'text' }, options: {} });
    draft.apply({ verb: 'set', path, value: { text: 'no number' }, options: {} });
    expect(draft.text()).toBe('{"n": "no number"}');
  });
});
