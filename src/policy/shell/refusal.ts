import { codePointName } from '../../base/hidden-characters.ts';
import type { Span } from '../../wire/policy.ts';
import type { Hint } from '../hint.ts';

/** Why a text is not a plain command. */
export interface Refusal extends Hint {
  readonly code: string;
  readonly reason: string;
  readonly at: Span;
}

/** A word after unquoting, and its position. */
export interface ShellWord {
  readonly text: string;
  readonly span: Span;
  /** Whether any character is quoted or escaped; then the word is neither a keyword nor an assignment. */
  readonly quoted: boolean;
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
