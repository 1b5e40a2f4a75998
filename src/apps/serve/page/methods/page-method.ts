/** What a page may call: a role, a schema, and a function. The login decides who calls, never the page. */
import type { AuditEntry } from '../../../../wire/approval.ts';
import type { Gateway } from '../../../../wire/methods.ts';
import type { Login, Role } from '../../../../wire/page/login.ts';
import type { Schema } from '../../../../wire/schema.ts';
import type { ControlledSessions } from './controlled-sessions.ts';

export interface PageCall {
  readonly gateway: Gateway;
  readonly login: Login;
  /** The name of the login in records. */
  readonly by: string;
  readonly controlled: ControlledSessions;
  readonly signal: AbortSignal;
  /** What the server serves. */
  readonly agent: string;
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface PageMethod {
  readonly role: Role;
  readonly params: Schema<unknown>;
  /** What the audit log has of a call; undefined where the daemon records it, or where nothing changes. */
  readonly recorded?: (params: unknown) => AuditEntry['details'] | undefined;
  /** Frequent actions are recorded once a minute for each object: typing into a session. */
  readonly recordedOnce?: true;
  run(params: unknown, call: PageCall): Promise<unknown>;
}
