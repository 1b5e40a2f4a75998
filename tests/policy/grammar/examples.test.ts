/** The examples of every profile, judged without any entry. */
import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../../src/policy/profiles/index.ts';
import { judgeExample } from './judge-example.ts';

const EXAMPLES = FAMILIES.flatMap(({ programs }) =>
  Object.values(programs).flatMap(({ pass = [], ask = [], subcommands = {} }) => [
    ...[...pass, ...Object.values(subcommands).flatMap((one) => one.pass ?? [])].map(
      (command) => [command, 'is accepted'] as const,
    ),
    ...[...ask, ...Object.values(subcommands).flatMap((one) => one.ask ?? [])].map(
      (command) => [command, 'asks'] as const,
    ),
  ]),
);

describe('an example of a profile', () => {
  it.each(EXAMPLES)('%s %s', (command, expected) => {
    const { answer, reason } = judgeExample(command);
    expect({ answer, reason }).toEqual({ answer: expected, reason });
  });
});
