export type CheckStatus = 'ok' | 'warn' | 'fail' | 'skip';

/** What the checks examine. */
export interface DoctorContext {
  readonly stateDir: string;
  /** The workspace. */
  readonly folder: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Path of this program. */
  readonly program: string;
  readonly now: number;
  /** Version of Node: `20.20.2`. */
  readonly node: string;
}

export interface Finding {
  readonly status: CheckStatus;
  readonly message: string;
  /** What to do; preferably a command. */
  readonly fix?: string;
  /** Show it in red on a terminal, whatever its status. */
  readonly alert?: true;
  /** Does what `fix` says. Only if that is safe and changes nothing but files of pincer. */
  readonly repair?: () => void;
}

export interface Check {
  readonly id: string;
  run(patient: DoctorContext): Promise<readonly Finding[]> | readonly Finding[];
}

/** A finding as it is printed. */
export interface CheckResult {
  readonly id: string;
  readonly status: CheckStatus;
  readonly message: string;
  readonly fix?: string;
  readonly alert?: true;
  /** This run fixed it. */
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
