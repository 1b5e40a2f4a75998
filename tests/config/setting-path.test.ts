import { describe, expect, it } from 'vitest';
import { END, formatSettingPath, parseSettingPath, type Step } from '../../src/config/schema/setting-path.ts';
import { fc } from '../support/property.ts';

describe('a setting path', () => {
  const NAMES: readonly (readonly [string, readonly Step[]])[] = [
    ['tools', ['tools']],
    ['agents.list[0].tools.exec.node', ['agents', 'list', 0, 'tools', 'exec', 'node']],
    ['agents.list[+].id', ['agents', 'list', END, 'id']],
    ['plugins.entries.oc-path.enabled', ['plugins', 'entries', 'oc-path', 'enabled']],
    ['plugins.entries["a.b"].enabled', ['plugins', 'entries', 'a.b', 'enabled']],
    [`plugins.entries['a b']`, ['plugins', 'entries', 'a b']],
    ['["tools"].exec', ['tools', 'exec']],
    ['plugins.entries["quote \\" and \\u0041"]', ['plugins', 'entries', 'quote " and A']],
  ];
  it.each(NAMES)('parses %s', (typed, steps) => {
    expect(parseSettingPath(typed)).toEqual(steps);
  });

  const WRONG = [
    ['', 1],
    ['.', 1],
    ['a..b', 2],
    ['a.', 2],
    ['a[0', 2],
    ['a[]', 2],
    ['a[x]', 2],
    ['a[-1]', 2],
    ['a["b]', 2],
    ['a["\\q"]', 3],
    ['a b', 2],
    ['a[0]b', 5],
    ['a.[0]', 2],
  ] as const;
  it.each(WRONG)('refuses %j and reports the column', (typed, column) => {
    expect(() => parseSettingPath(typed)).toThrow(
      expect.objectContaining({ code: 'CONFIG_PATH', details: { path: typed, column } }),
    );
  });

  it('round-trips', () => {
    const step = fc.oneof<fc.Arbitrary<Step>[]>(fc.string(), fc.nat(999_999_999), fc.constant(END));
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
        expect(parseSettingPath(formatSettingPath(steps))).toEqual(steps);
      }),
    );
  });
});
