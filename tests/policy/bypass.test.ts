/** Calls that must not pass, made from what is known to be dangerous. `npm run bench:policy` judges all of them. */
import { expect, it } from 'vitest';
import { judge } from '../../src/policy/judge.ts';
import type { Unprofiled } from '../../src/wire/policy.ts';
import { runs, withSeed } from '../support/budget.ts';
import { dangerousOptions, type OptionCall } from './dangerous-options.ts';
import { machine, rules } from './machine.ts';

const CALLS = dangerousOptions();

it.each(['screen', 'shapes'] as const)('lets no dangerous option pass in any spelling, with %s', (unprofiled) =>
  withSeed((next) => {
    const sample = Array.from({ length: runs(3000, CALLS.length) }, () => CALLS[Math.floor(next() * CALLS.length)]!);
    expect(sample.filter((call) => passes(call, unprofiled))).toEqual([]);
  })(),
);

it('makes thousands of calls from the dangerous options', () => {
  expect(CALLS.length).toBeGreaterThan(10_000);
});

/** With an entry that names only the program. */
function passes({ program, command }: OptionCall, unprofiled: Unprofiled): boolean {
  const allowlist = [{ pattern: `/usr/bin/${program}` }];
  const all = rules({ allowlist, unprofiled, starter: 'workspace' });
  return judge(command, all, machine(), '/home/u').verdict === 'allow';
}
