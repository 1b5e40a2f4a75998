import type { JsonValue } from '../../text/json/value.ts';
import type { KindName, RefusalReason } from '../../text/kind.ts';
import type { Position } from '../../text/lines/position.ts';
import type { Match } from '../../text/walk/match.ts';

export type DetailedMatch = Match & {
  readonly end?: Position;
  readonly byteRange?: { readonly start: number; readonly end: number };
  readonly value?: JsonValue;
};

export type ResolveAnswer =
  | { readonly resolved: true; readonly ocPath: string; readonly match: DetailedMatch }
  | { readonly resolved: false; readonly ocPath: string };

export interface FoundMatch {
  readonly path: string;
  readonly match: Match;
}

export interface FindAnswer {
  readonly pattern: string;
  readonly count: number;
  readonly matches: readonly FoundMatch[];
  /** There are more matches; `count` is the number of listed ones. */
  readonly truncated?: true;
}

export interface AnswerLimits {
  readonly matches: number;
  /** In addresses and values. */
  readonly characters: number;
}

export interface OutlineEntry {
  readonly path: string;
  readonly depth: number;
  readonly match: Match;
}

export type OutlineAnswer =
  | {
      readonly file: string;
      readonly kind: KindName;
      readonly entries: readonly OutlineEntry[];
      /** There are more entries than the limit. */
      readonly truncated?: true;
    }
  | { readonly resolved: false; readonly ocPath: string };

export interface Refused {
  readonly ok: false;
  readonly reason: RefusalReason;
  readonly detail: string;
}

export type SetAnswer =
  | {
      readonly ok: true;
      readonly dryRun: true;
      readonly bytes: string;
      readonly diff?: string;
      readonly fsPath: string;
      /** SHA-256 of the present file; absent for a file with hidden values. */
      readonly hash?: string;
    }
  | { readonly ok: true; readonly dryRun: false; readonly bytesWritten: number; readonly fsPath: string }
  | Refused;

export type ValidateAnswer =
  | {
      readonly valid: true;
      readonly ocPath: string;
      readonly formatted: string;
      readonly structure: Readonly<Record<string, string>>;
    }
  | { readonly valid: false; readonly code: string; readonly message: string; readonly hint?: string };
