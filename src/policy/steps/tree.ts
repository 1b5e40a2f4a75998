/** The syntax tree of a compound command, as written. `steps.ts` of the wire has what it becomes. */
import type { Span } from '../../wire/policy.ts';
import type { Step } from '../../wire/steps.ts';
import type { ShellWord } from '../shell/refusal.ts';

export const REDIRECTIONS = ['>', '>>', '<', '>&', '&>', '<<', '<<-', '<<<'] as const;

export interface ShellRedirect {
  readonly operator: (typeof REDIRECTIONS)[number];
  readonly descriptor?: number;
  /** Absent for a here-document. */
  readonly target?: ShellWord;
  /** The text of a here-document. */
  readonly body?: string;
  readonly span: Span;
}

export interface ShellCommand {
  /** `NAME=value` in front of the command, or alone. */
  readonly assignments: readonly ShellWord[];
  readonly words: readonly ShellWord[];
  readonly redirects: readonly ShellRedirect[];
  readonly span: Span;
}

export interface ShellPipeline {
  readonly when: Step['when'];
  readonly isNegated: boolean;
  readonly commands: readonly ShellCommand[];
  /** The operators between the commands. */
  readonly operators: readonly ('|' | '|&')[];
  readonly span: Span;
}

export type ShellProgram = readonly ShellPipeline[];
