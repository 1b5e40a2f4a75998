import { expect, it } from 'vitest';
import { nearestNames } from '../../src/text/nearest-names.ts';

it.each([
  ['AGENT.md', ['README.md', 'AGENTS.md', 'agent.yaml'], ['AGENTS.md', 'agent.yaml']],
  ['config.json', ['config.jsonc', 'package.json', 'confg.json'], ['confg.json', 'config.jsonc']],
  ['x', ['a', 'b', 'c', 'd'], ['a', 'b', 'c']],
  ['workflow.yaml', ['totally-different.txt'], []],
  ['anything', [], []],
])('near %s in %j are %j', (wanted, existing, near) => {
  expect(nearestNames(wanted, existing)).toEqual(near);
});
