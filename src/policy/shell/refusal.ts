import type { Span } from '../../wire/policy.ts';

/** Why a text is no plain command: a code, one sentence, the characters, and what to do instead. */
export interface Refusal {
  readonly code: string;
  readonly reason: string;
  readonly at: Span;
  readonly hint: string;
}

/** One word of a command: what it stands for, and where it stands. */
export interface ShellWord {
  readonly text: string;
  readonly span: Span;
  /** Whether any of its characters is quoted or escaped; then it is neither a keyword nor an assignment. */
  readonly quoted: boolean;
}

/** The words of one command of a pipeline. */
export interface ShellStage {
  readonly words: readonly ShellWord[];
  readonly span: Span;
}

/** The commands of a pipeline, or why the text is none. */
export type Scanned =
  | { readonly stages: readonly ShellStage[]; readonly refusal?: undefined }
  | { readonly stages?: undefined; readonly refusal: Refusal };

/** A character for a person: itself where it can be seen, else its code point. */
export function shownCharacter(text: string, at: number): string {
  const point = text.codePointAt(at) ?? 0;
  const char = String.fromCodePoint(point);
  return /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(char) ? char : `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
}
