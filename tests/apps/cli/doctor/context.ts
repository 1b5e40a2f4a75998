/** A context for checks, with temporary folders and a program file. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, CheckResult, DoctorContext } from '../../../../src/apps/cli/doctor/check.ts';
import { runChecks } from '../../../../src/apps/cli/doctor/run-checks.ts';
import { makeFolder } from '../../../support/folder.ts';

export function doctorContext(overrides: Partial<DoctorContext> = {}): DoctorContext {
  const home = makeFolder({ 'program.cjs': '' });
  const stateDir = join(home, 'state');
  const folder = join(home, 'work');
  mkdirSync(stateDir, { mode: 0o700 });
  mkdirSync(folder);
  return {
    stateDir,
    folder,
    home,
    env: { HOME: home, PATH: '/usr/bin:/bin' },
    program: join(home, 'program.cjs'),
    now: Date.now(),
    node: '24.1.0',
    ...overrides,
  };
}

/** The results of one check, with the temporary folder written as HOME. */
export async function resultsOf(check: Check, one: DoctorContext, mend = false): Promise<readonly CheckResult[]> {
  const results = await runChecks([check], one, mend);
  return JSON.parse(JSON.stringify(results).replaceAll(one.home, 'HOME')) as CheckResult[];
}
