/** A question put to a person, and the answer. */
import type { Actor } from './actor.ts';
import type { AllowlistEntry, HostName, Judgement } from './policy.ts';

export type Decision = 'allow-once' | 'allow-always' | 'deny';

export type ApprovalState = 'pending' | 'allowed' | 'denied' | 'expired' | 'cancelled';

/** What an approval is bound to: if any of it differs when the command is to run, it does not run. */
export interface ApprovalBinding extends Actor {
  readonly host: HostName;
  readonly command: string;
  readonly cwd: string;
  /** The identity of the working folder: `dev:ino`. */
  readonly cwdIdentity: string;
  /** The overrides of the call, as given. */
  readonly env: Readonly<Record<string, string>>;
  readonly pty: boolean;
  /** Per stage `real path`, identity and argv; for a command that needs a shell, that of the shell. */
  readonly programs: readonly { readonly real: string; readonly identity: string; readonly argv: readonly string[] }[];
  /** The files among its words that hold programs, such as `build.py`, and what they were. */
  readonly files: readonly { readonly path: string; readonly identity: string }[];
}

export interface ApprovalInfo {
  /** A UUID; the first eight characters name it, too. */
  readonly id: string;
  readonly slug: string;
  readonly state: ApprovalState;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly binding: ApprovalBinding;
  readonly judgement: Judgement;
  /** What `allow-always` would store, shown before it is stored; empty when nothing may be stored. */
  readonly wouldStore: readonly AllowlistEntry[];
  readonly decision?: Decision;
  readonly resolvedBy?: string;
  readonly resolvedAt?: number;
  readonly sessionId?: string;
  /** How it ended: `code 0`, `timeout`, a denial reason; `user-denied: …` with the reason that the person gave. */
  readonly outcome?: string;
  /** Secrets are masked, because it does not wait any more. */
  readonly masked?: true;
}

/** What an answer did. The first answer wins; a later one hears what the first was. */
export type ResolveAnswer =
  | {
      readonly ok: true;
      readonly approval: ApprovalInfo;
      readonly stored: readonly AllowlistEntry[];
      /** Why nothing was stored although it was asked for; the command runs this once. */
      readonly notStored?: string;
      /** Why nothing ran although it was allowed: what was asked about is not there any more, say. */
      readonly notRun?: string;
    }
  | {
      readonly ok: false;
      readonly reason: 'unknown' | 'ambiguous' | 'already-resolved' | 'expired' | 'not-storable' | 'not-authorised';
      readonly message: string;
      readonly hint?: string;
      readonly approval?: ApprovalInfo;
    };

/** One line of the audit log: who asked, what was judged, why, who answered, how it ended. */
export interface AuditEntry extends Actor {
  readonly seq: number;
  readonly time: number;
  readonly event:
    | 'judged'
    | 'asked'
    | 'answered'
    | 'started'
    | 'ended'
    | 'denied'
    | 'override'
    | 'rules'
    | 'egress'
    | 'omitted'
    | 'obeyed'
    | 'guard-lost';
  readonly approvalId?: string;
  readonly sessionId?: string;
  readonly command?: string;
  readonly by?: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Secrets in it are masked: it cannot be judged again. */
  readonly masked?: true;
  /** It was too long: its texts are shortened. */
  readonly cut?: true;
}

/** What reading the whole audit log found. */
export type AuditCheck =
  | {
      readonly ok: true;
      readonly rows: number;
      /** The number of the last row that was removed by age or size; 0 for none. */
      readonly removedUpTo: number;
      readonly last: number;
      /** The hash of the last row: whoever keeps it elsewhere can tell whether the log was replaced. */
      readonly hash: string;
    }
  | {
      readonly ok: false;
      /** How many rows before it hold. */
      readonly rows: number;
      /** The number of the first row that is missing, or does not follow from those before it. */
      readonly broken: number;
    };
