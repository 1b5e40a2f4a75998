import { expect, it } from 'vitest';
import { warningAbout } from '../../../../src/apps/cli/config/node-warnings.ts';
import type { NodeInfo } from '../../../../src/wire/nodes/node.ts';

const A = 'abcdef'.padEnd(32, 'x');
const node = (id: string, name: string) => ({ id, name, state: 'paired', connected: false }) as NodeInfo;
const paired = [node(A, 'mac'), node('b'.repeat(32), 'bbbbbb')];

it.each([
  ['mac', []],
  ['MAC', []],
  [A, []],
  ['abcdef', [`"abcdef" is the start of an id, which another machine can have, too; use the whole id ${A}`]],
  ['other', ['no paired node is called "other"; pincer nodes list shows them']],
])('warns about %s in a setting: %j', (name, warnings) => {
  expect(warningAbout(name, paired)).toEqual(warnings);
});
