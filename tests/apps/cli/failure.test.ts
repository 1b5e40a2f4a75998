import { expect, it } from 'vitest';
import { exitCodeOf } from '../../../src/apps/cli/failure.ts';
import { readSources, readText } from '../../house/sources.ts';

const table = readText('src/apps/cli/failure.ts');
const codes = [...table.matchAll(/^ {2}([A-Z]+_[A-Z_]+): \d,$/gmu)].map(([, code = '']) => code);

it('the table of exit codes names only codes that something throws', () => {
  const thrown = new Set(readSources().flatMap(({ strings }) => strings));
  expect(codes.length).toBeGreaterThan(10);
  expect(codes.filter((code) => !thrown.has(code))).toEqual([]);
});

it('every code has one of the exit codes 1, 2 and 3', () => {
  const areas = /^(?:USAGE|OC|CONFIG|PARAM|TOOL|EDIT|PATCH|READ|CHANGE|FS|INTERNAL)_[A-Z_]+$/u;
  const all = readSources().flatMap(({ strings }) => strings.filter((text) => areas.test(text)));
  expect(new Set(all.map(exitCodeOf))).toEqual(new Set([1, 2, 3]));
});
