import { expect, it } from 'vitest';
import { pathTo, placeOf } from '../../src/page/router.ts';
import { screenAt, SCREENS } from '../../src/page/screens/registry.ts';
import { SCREEN_PATHS } from '../../src/wire/page.ts';
import { anyCharacter, fc } from '../support/property.ts';

it('reads the segments and the query of an address', () => {
  const { path, segments, query } = placeOf('/sessions/brisk-otter?t=44.2');
  expect([path, segments, query.get('t')]).toEqual(['/sessions/brisk-otter', ['sessions', 'brisk-otter'], '44.2']);
});

it('shows a segment as it is where it is not an encoding', () => {
  expect(placeOf('/files/100%').segments).toEqual(['files', '100%']);
});

it('reads every segment back that it writes', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, minLength: 1 }), (text) => {
      fc.pre(text !== '.' && text !== '..');
      expect(placeOf(pathTo('files', text)).segments).toEqual(['files', text]);
    }),
  );
});

it('finds Approvals at the root, and no screen at an unknown path', () => {
  expect([screenAt([])?.name, screenAt(['approvals', 'x'])?.name, screenAt(['unknown'])]).toEqual([
    'Approvals',
    'Approvals',
    undefined,
  ]);
});

it('has a path of the server for every screen', () => {
  const served = new Set(SCREEN_PATHS.map((path) => path.split('/')[1]));
  served.add('approvals');
  expect(SCREENS.filter(({ folder }) => !served.has(folder))).toEqual([]);
});
