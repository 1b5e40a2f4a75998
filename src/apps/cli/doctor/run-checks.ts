import { Fault } from '../../../base/fault.ts';
import type { Check, CheckResult, Finding, DoctorContext } from './check.ts';

/** Runs the checks in order: some checks restrict file modes when they read, so the checks of modes come first. */
export async function runChecks(
  checks: readonly Check[],
  context: DoctorContext,
  fixes: boolean,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) {
    const findings = await runSafely(check, context);
    results.push(...findings.map((finding) => resultOf(check.id, finding, fixes)));
  }
  return results;
}

/** A check that throws becomes a finding, so that the other checks still run. */
async function runSafely(check: Check, context: DoctorContext): Promise<readonly Finding[]> {
  try {
    return await check.run(context);
  } catch (error) {
    const { message } = error as Error;
    const fix = error instanceof Fault ? error.hint : undefined;
    return [{ status: 'fail', message: `the check failed: ${message}`, ...(fix === undefined ? {} : { fix }) }];
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
    return { ...result, message: `${message}; the fix failed: ${(error as Error).message}` };
  }
}
