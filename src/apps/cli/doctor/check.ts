/** The shape of a check. */

export type CheckStatus = 'ok' | 'warn' | 'fail' | 'skip';

/** What is looked at. */
export interface DoctorContext {
  readonly stateDir: string;
  /** The folder that commands would run in. */
  readonly folder: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The file that this program was started from. */
  readonly program: string;
  readonly now: number;
  /** The version of Node: `20.20.2`. */
  readonly node: string;
}

/** What a check found. */
export interface Finding {
  readonly status: CheckStatus;
  /** One sentence that names the thing: lower case, no full stop. */
  readonly message: string;
  /** What to do about it: a command where there is one. */
  readonly fix?: string;
  /** It is shown in red on a terminal, whatever its status. */
  readonly alert?: true;
  /** Does what `fix` says; only where that is safe and touches nothing but files of ours. */
  readonly repair?: () => void;
}

/** One thing that is looked at. */
export interface Check {
  readonly id: string;
  run(patient: DoctorContext): Promise<readonly Finding[]> | readonly Finding[];
}

/** A finding as it is told. */
export interface CheckResult {
  readonly id: string;
  readonly status: CheckStatus;
  readonly message: string;
  readonly fix?: string;
  readonly alert?: true;
  /** It was fixed by this very run. */
  readonly fixed?: true;
}

export function ok(message: string): readonly Finding[] {
  return [{ status: 'ok', message }];
}

export function skip(message: string): readonly Finding[] {
  return [{ status: 'skip', message }];
}

export function warn(message: string, fix: string): readonly Finding[] {
  return [{ status: 'warn', message, fix }];
}

export function fail(message: string, fix: string): readonly Finding[] {
  return [{ status: 'fail', message, fix }];
}
