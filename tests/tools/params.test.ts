import { describe, expect, it } from 'vitest';
import { readParams } from '../../src/tools/params.ts';
import type { AliasGroup } from '../../src/tools/tool.ts';
import { array, boolean, integer, json, object, oneOf, record, string } from '../../src/wire/schema.ts';
import { faultOf } from '../support/fault.ts';
import { fc } from '../support/property.ts';

const schema = object(
  { path: string() },
  {
    oldText: string(),
    newText: string(),
    content: string(),
    offset: integer({ min: 1 }),
    mode: oneOf(['a', 'b']),
    dryRun: boolean(),
    edits: array(object({ oldText: string() }, { newText: string() })),
    env: record(json()),
  },
);
const NAMES = Object.keys({ ...schema.required, ...schema.optional });
const aliases: readonly AliasGroup[] = [
  { keys: ['path', 'file_path', 'filePath', 'file'] },
  { keys: ['oldText', 'old_string', 'old_text', 'oldString'] },
  { keys: ['newText', 'new_string', 'new_text', 'newString'], allowEmpty: true },
];
const read = (input: Record<string, unknown>) => readParams('edit', schema, aliases, input);

describe('parameters', () => {
  it('reports that an integer is too large', () => {
    expect(faultOf(() => read({ path: 'a', offset: 1e18 })).message).toBe(
      'edit: offset must be an integer from 1 to 9007199254740991, not 1000000000000000000',
    );
  });

  it.each(['path', 'file_path', 'filePath', 'file'])('named %s become path', (name) => {
    expect(read({ [name]: 'a.txt' })).toEqual({ path: 'a.txt' });
  });

  it.each([
    ['an empty canonical name loses to a filled alias', { path: '', file: 'a' }, { path: 'a' }],
    ['null and undefined are left out', { path: 'a', oldText: null, newText: undefined }, { path: 'a' }],
    ['an empty new text is a deletion', { path: 'a', newText: '' }, { path: 'a', newText: '' }],
    ['an empty alias of the new text is one, too', { path: 'a', new_string: '' }, { path: 'a', newText: '' }],
    [
      'a filled alias wins over an empty new text',
      { path: 'a', newText: '', new_string: 'x' },
      { path: 'a', newText: 'x' },
    ],
    ['an empty old text is left out', { path: 'a', oldText: '' }, { path: 'a' }],
    ['an empty content is content', { path: 'a', content: '' }, { path: 'a', content: '' }],
    ['two names with one value are one', { path: 'a', file_path: 'a' }, { path: 'a' }],
    ['the spelling with underscores is known', { path: 'a', dry_run: true }, { path: 'a', dryRun: true }],
  ])('%s', (_, input, params) => {
    expect(read(input)).toEqual(params);
  });

  it('values nested too deeply to compare count as different', () => {
    const nested = (): unknown => JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const fault = faultOf(() => read({ path: 'a', dryRun: nested(), dry_run: nested() }));
    expect([fault.code, fault.message]).toEqual([
      'PARAM_CONFLICT',
      'edit: dryRun and dry_run are the same parameter with different values',
    ]);
  });

  it.each([
    [{}, 'PARAM_MISSING', 'edit: the parameter path (also called file_path, filePath, file) is missing'],
    [{ path: '' }, 'PARAM_MISSING', 'edit: the parameter path (also called file_path, filePath, file) is missing'],
    [{ path: 'a', file: 'b' }, 'PARAM_CONFLICT', 'edit: path and file are the same parameter with different values'],
    [{ path: 'a', dryrun: true }, 'PARAM_UNKNOWN', 'edit has no parameter "dryrun"'],
    [{ path: 5 }, 'PARAM_INVALID', 'edit: path must be a string, not 5'],
    [{ path: ['a'] }, 'PARAM_INVALID', 'edit: path must be a string, not an array'],
    [{ path: 'a', offset: 1.5 }, 'PARAM_INVALID', 'edit: offset must be an integer of at least 1, not 1.5'],
    [{ path: 'a', offset: 0 }, 'PARAM_INVALID', 'edit: offset must be an integer of at least 1, not 0'],
    [{ path: 'a', mode: 'c' }, 'PARAM_INVALID', 'edit: mode must be one of a, b, not "c"'],
    [{ path: 'a', dryRun: 'yes' }, 'PARAM_INVALID', 'edit: dryRun must be true or false, not "yes"'],
    [{ path: 'a', edits: [{ newText: 'x' }] }, 'PARAM_MISSING', 'edit: edits[0].oldText is missing'],
    [{ path: 'a', edits: [{ oldText: 'x', all: 1 }] }, 'PARAM_UNKNOWN', 'edit: edits[0] has no member all'],
    [JSON.parse('{"path":"a","__proto__":1}'), 'PARAM_UNKNOWN', 'edit has no parameter "__proto__"'],
    [{ path: 'a', env: JSON.parse('{"__proto__":1}') }, 'PARAM_UNKNOWN', 'edit: env has no member __proto__'],
    [{ path: 'a', toString: 1 }, 'PARAM_UNKNOWN', 'edit has no parameter "toString"'],
  ])('%j are refused', (input, code, message) => {
    expect(faultOf(() => read(input))).toMatchObject({ code, message });
  });

  it('return canonical names or throw a fault, for any input', () => {
    const names = [...NAMES, ...aliases.flatMap(({ keys }) => keys), 'x', '__proto__'];
    const input = fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.string(), fc.jsonValue()));
    fc.assert(
      fc.property(input, (sent) => {
        let params: Record<string, unknown>;
        try {
          params = read(sent);
        } catch (error) {
          expect((error as { code?: string }).code).toMatch(/^PARAM_/u);
          return;
        }
        expect(Object.keys(params).filter((name) => !NAMES.includes(name))).toEqual([]);
        expect(typeof params['path']).toBe('string');
      }),
    );
  });
});
