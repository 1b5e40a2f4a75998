/** Somebody to look at: folders of a test, and a program that stands there. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, CheckResult, DoctorContext } from '../../../../src/apps/cli/doctor/check.ts';
import { runChecks } from '../../../../src/apps/cli/doctor/run-checks.ts';
import { makeFolder } from '../../../support/folder.ts';

export function patient(said: Partial<DoctorContext> = {}): DoctorContext {
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
    ...said,
  };
}

/** What one check tells, with the folder of the test written as HOME. */
export async function told(check: Check, one: DoctorContext, mend = false): Promise<readonly CheckResult[]> {
  const results = await runChecks([check], one, mend);
  return JSON.parse(JSON.stringify(results).replaceAll(one.home, 'HOME')) as CheckResult[];
}
