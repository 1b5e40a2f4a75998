/** The escape suite: the same attacks on every backend, on the kernel of this machine. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROMISES, promisesOf, type PromiseId } from '../../../src/hosts/sandbox/probe/promises.ts';
import type { BackendName } from '../../../src/wire/sandbox.ts';
import { compiledPrograms } from '../../support/built.ts';
import { timeoutFor } from '../../support/budget.ts';
import { openArena, type Attacks } from './arena.ts';
import { fileAttacks } from './attacks-files.ts';
import { gitAttacks } from './attacks-git.ts';
import { kernelAttacks } from './attacks-kernel.ts';
import { lifeAttacks } from './attacks-life.ts';
import { limitAttacks } from './attacks-limits.ts';
import { networkAttacks } from './attacks-network.ts';
import type { Contender } from './contender.ts';
import { record } from './table.ts';

const ATTACKS: Attacks = {
  ...fileAttacks,
  ...gitAttacks,
  ...kernelAttacks,
  ...networkAttacks,
  ...limitAttacks,
  ...lifeAttacks,
};

export interface Suite {
  readonly name: BackendName;
  /** Why it cannot be attacked on this machine: then all of it counts as skipped. */
  readonly trouble: string | undefined;
  readonly contender: () => Promise<Contender>;
}

/** Attacks a backend; with RECORD=1 in the environment the outcome is kept for docs/security.md. */
export function escapeSuite({ name, trouble, contender: make }: Suite): void {
  const reason = trouble === undefined ? '' : ` (not run: ${trouble})`;
  describe.skipIf(trouble !== undefined)(`an escape from ${name}${reason}`, () => {
    let contender: Contender;
    let opened: Awaited<ReturnType<typeof openArena>>;
    let lacks: ReadonlyMap<string, string>;
    const outcome: Record<string, string> = {};

    beforeAll(async () => {
      contender = await make();
      lacks = await lacksOf(contender);
      opened = await openArena(contender, compiledPrograms());
    }, 120_000);

    afterAll(async () => {
      await opened?.end();
      await contender?.close();
      if (process.env['RECORD'] === '1') record(name, outcome);
    });

    it('is tried in every way that is promised to fail', () => {
      expect(Object.keys(ATTACKS).sort()).toEqual(Object.keys(PROMISES).sort());
    });

    it('is tried with ways that work outside of a sandbox', () => {
      const given = opened.arena.hostAttempts();
      for (const [attempt, result] of given) expect.soft(result, attempt).toBe('allowed');
      expect(given.size).toBeGreaterThan(10);
    });

    for (const { id, what } of promisesOf()) {
      it(
        `fails: ${what} (${id})`,
        async ({ skip }) => {
          const lack = lacks.get(id);
          if (lack !== undefined) {
            outcome[id] = lack;
            skip(lack);
          }
          try {
            await ATTACKS[id as PromiseId]!(opened.arena);
            outcome[id] = 'held'; // what fails is left out, so the table shows that it was not held
          } finally {
            await opened.tidy();
          }
        },
        timeoutFor(120_000),
      );
    }
  });
}

/** What a backend says that it does not hold on this machine, with its reasons. */
async function lacksOf({ backend }: Contender): Promise<ReadonlyMap<string, string>> {
  const probe = await backend.probe();
  if (!probe.ok) throw new Error(`${probe.message} (${probe.hint})`);
  const lacking = probe.promises.filter(({ holds }) => !holds);
  return new Map(lacking.map(({ id, reason }) => [id, reason ?? 'it does not say why']));
}
