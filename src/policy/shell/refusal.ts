import { codePointName } from '../../base/hidden-characters.ts';
import type { Span } from '../../wire/policy.ts';
import type { Hint } from '../hint.ts';

/** Why a text is not a plain command. */
export interface Refusal extends Hint {
  readonly code: string;
  readonly reason: string;
  readonly at: Span;
}

/** A part of a word. Only a word of a compound command has other parts than text. */
export type ShellPart =
  | { readonly kind: 'text'; readonly text: string }
  /** An unquoted `*`, `?` or `[…]`. */
  | { readonly kind: 'glob'; readonly text: string }
  /** `$NAME`, `${NAME}` or `$?`. */
  | { readonly kind: 'variable'; readonly name: string; readonly quoted: boolean; readonly span: Span }
  /** A leading `~`. */
  | { readonly kind: 'home'; readonly span: Span }
  /** `$(cat <<'TAG' … TAG)` in double quotes: the text without the line ends behind it. */
  | { readonly kind: 'body'; readonly text: string; readonly span: Span };

/** A word after unquoting, and its position. */
export interface ShellWord {
  /** The whole word where all parts are text. */
  readonly text: string;
  readonly parts: readonly ShellPart[];
  readonly span: Span;
  /** Whether any character is quoted or escaped; then the word is neither a keyword nor an assignment. */
  readonly quoted: boolean;
  /** The length of the name in `NAME=value`, which is the beginning of a command. */
  readonly assigns?: number;
}

/** One command of a pipeline. */
export interface ShellStage {
  readonly words: readonly ShellWord[];
  readonly span: Span;
}

export type Scanned =
  | { readonly stages: readonly ShellStage[]; readonly refusal?: undefined }
  | { readonly stages?: undefined; readonly refusal: Refusal };

/** The character itself if it is visible, else its code point. */
export function shownCharacter(text: string, at: number): string {
  const point = text.codePointAt(at) ?? 0;
  const char = String.fromCodePoint(point);
  return /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(char) ? char : codePointName(point);
}
