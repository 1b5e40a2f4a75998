import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHECKS } from '../../../../src/apps/cli/doctor/checks.ts';
import { runChecks } from '../../../../src/apps/cli/doctor/run-checks.ts';
import { renderResults } from '../../../../src/apps/cli/doctor/render-results.ts';
import { paint } from '../../../../src/apps/terminal/paint.ts';
import { daemonPlace, runProgram } from '../../../support/daemon.ts';
import { doctorContext } from './context.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', '..', '..', 'dist', 'pincer.cjs');

interface DoctorReport {
  readonly ok: boolean;
  readonly checks: readonly { readonly id: string; readonly status: string; readonly fixed?: boolean }[];
}

describe('pincer doctor', () => {
  it('tells of every check, mends only when asked, and exits with 1 while something fails', async () => {
    const place = daemonPlace();
    chmodSync(place.stateDir, 0o755);
    const ask = async (...args: string[]) => {
      const { code, stdout, stderr } = await runProgram(PROGRAM, place, ['doctor', ...args]);
      expect(stderr).toBe('');
      return { code, resultsOf: JSON.parse(stdout) as DoctorReport };
    };
    const first = await ask();
    expect(first.code).toBe(1);
    expect([...new Set(first.resultsOf.checks.map(({ id }) => id))]).toEqual(CHECKS.map(({ id }) => id));
    expect(first.resultsOf.checks.filter(({ status }) => status === 'fail')).toMatchObject([{ id: 'state' }]);
    const after = await ask('--fix');
    expect({ code: after.code, ok: after.resultsOf.ok }).toEqual({ code: 0, ok: true });
    expect(after.resultsOf.checks.filter(({ fixed }) => fixed === true)).toMatchObject([{ id: 'state', status: 'ok' }]);
    expect(statSync(place.stateDir).mode & 0o777).toBe(0o700);
    expect((await ask()).code).toBe(0);
  });

  it('reaches the daemon that runs', async () => {
    const place = daemonPlace();
    expect((await runProgram(PROGRAM, place, ['exec', '--background', '--', 'sleep', '60'])).code).toBe(0);
    const { stdout } = await runProgram(PROGRAM, place, ['doctor', '--human']);
    expect(stdout).toMatch(/^ok {4}daemon +pid \d+ answers, version \S+, 1 sessions running$/mu);
    expect(stdout).toMatch(/^ok {4}socket /mu);
    expect((await runProgram(PROGRAM, place, ['daemon', 'stop', '--force'])).code).toBe(0);
  });

  it('mends nothing for a command of a session', async () => {
    const place = daemonPlace();
    const inside = { ...place, env: { ...place.env, PINCER_SESSION: 'amber-otter' } };
    const { code, stderr } = await runProgram(PROGRAM, inside, ['doctor', '--fix']);
    expect({ code, said: JSON.parse(stderr) }).toMatchObject({
      code: 1,
      said: { error: { code: 'APPROVAL_FROM_SESSION' } },
    });
  });

  it('goes on where a check fails itself', async () => {
    const broken = { id: 'river', run: () => Promise.reject(new Error('dry')) };
    const well = { id: 'sea', run: () => [{ status: 'ok' as const, message: 'wet' }] };
    const stuck = {
      id: 'dam',
      run: () => [
        {
          status: 'warn' as const,
          message: 'it leaks',
          fix: 'correct it',
          repair: () => {
            throw new Error('no clay');
          },
        },
      ],
    };
    const results = await runChecks([broken, well, stuck], doctorContext(), true);
    expect(results).toEqual([
      { id: 'river', status: 'fail', message: 'the check failed: dry' },
      { id: 'sea', status: 'ok', message: 'wet' },
      { id: 'dam', status: 'warn', message: 'it leaks; the fix failed: no clay', fix: 'correct it' },
    ]);
    // B24: a warning is yellow, not green.
    expect(renderResults(results, paint(true))).toContain('\u001b[33mwarn\u001b[39m');
    expect(renderResults(results, paint(false))).toBe(`FAIL  river         the check failed: dry
ok    sea           wet
warn  dam           it leaks; the fix failed: no clay
                    fix: correct it

1 ok; 1 warning; 1 failure
`);
  });
});
