/** Looks at everything, and fixes what may be fixed. */
import { Fault } from '../../../base/fault.ts';
import type { Check, CheckResult, Finding, DoctorContext } from './check.ts';

/** What each check says. Files that a check reads with care may be closed by that, so the checks of modes come first. */
export async function runChecks(
  checks: readonly Check[],
  patient: DoctorContext,
  fixes: boolean,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) {
    const findings = await runSafely(check, patient);
    results.push(...findings.map((finding) => resultOf(check.id, finding, fixes)));
  }
  return results;
}

/** A check that fails itself is a finding, too: the others still have something to say. */
async function runSafely(check: Check, patient: DoctorContext): Promise<readonly Finding[]> {
  try {
    return await check.run(patient);
  } catch (error) {
    const { message } = error as Error;
    const fix = error instanceof Fault ? error.hint : undefined;
    return [
      { status: 'fail', message: `this could not be looked at: ${message}`, ...(fix === undefined ? {} : { fix }) },
    ];
  }
}

function resultOf(id: string, { status, message, fix, alert, repair }: Finding, fixes: boolean): CheckResult {
  const result = {
    id,
    status,
    message,
    ...(fix === undefined ? {} : { fix }),
    ...(alert === undefined ? {} : { alert }),
  };
  if (!fixes || repair === undefined) return result;
  try {
    repair();
    return { ...result, status: 'ok', fixed: true };
  } catch (error) {
    return { ...result, message: `${message}; it could not be fixed: ${(error as Error).message}` };
  }
}
