import type { Verdict } from '../../wire/policy.ts';
import { forAgent, forOperator, type Hint } from '../hint.ts';

/** Why a call needs approval or is denied, whatever the allowlist contains. */
export interface Finding extends Hint {
  readonly verdict: Exclude<Verdict, 'allow'>;
  readonly code: string;
  readonly reason: string;
  /** The index of the argument; 0 is the program. */
  readonly word: number;
  /** Only a person may answer. */
  readonly explicit?: true;
  /** An approval of exactly these arguments may be stored. */
  readonly storable?: true;
}

/** Code as an argument, from standard input, or loaded before a script. */
export function inlineCode(word: number, reason: string): Finding {
  return {
    verdict: 'ask',
    code: 'inline-code',
    reason,
    ...forAgent('put the code into a file and run the file'),
    word,
    explicit: true,
  };
}

export function programFlag(word: number, reason: string): Finding {
  return {
    verdict: 'ask',
    code: 'program-flag',
    reason,
    ...forAgent('leave the option out'),
    word,
    explicit: true,
    storable: true,
  };
}

/** A subcommand that the profile of its program does not list. */
export function profileSubcommand(word: number, reason: string): Finding {
  return {
    ...profileOption(word, reason),
    ...forOperator('a person can allow exactly this command in this folder'),
  };
}

/** An option or operand that the profile of its program does not list. */
export function profileOption(word: number, reason: string): Finding {
  return {
    ...programFlag(word, reason),
    code: 'profile-option',
    ...forAgent('leave it out, and write options with their full names'),
  };
}

/** A program whose input is not known to be only data gets none. */
export function inputFinding(name: string): Finding {
  return {
    ...programFlag(0, `${name} may take commands from its input`),
    code: 'profile-input',
    ...forAgent('write the data into a file that it reads, or have the command approved'),
  };
}

/** A command that runs code from a project's files. */
export function projectCode(word: number, reason: string): Finding {
  return {
    verdict: 'ask',
    code: 'project-code',
    reason,
    ...forOperator('a person can allow exactly this command in this folder'),
    word,
    storable: true,
  };
}

/** A call that may change files outside the workspace. */
export function outsideWorkspace(word: number, reason: string): Finding {
  return {
    verdict: 'ask',
    code: 'outside-workspace',
    reason,
    ...forOperator('a person can allow exactly this command in this folder'),
    word,
    explicit: true,
    storable: true,
  };
}

/** A program that runs others in ways that are not analysed. */
export function carrier(word: number, reason: string, hint: string): Finding {
  return { verdict: 'deny', code: 'carrier', reason, ...forAgent(hint), word, explicit: true };
}

/** Outside the workspace, an entry for a program does not allow it to change files. */
export function changesOutside(
  [program = '']: readonly string[],
  cwd: string,
): Hint & { readonly verdict: 'ask'; readonly code: string; readonly reason: string; readonly explicit: true } {
  return {
    verdict: 'ask',
    code: 'outside-workspace',
    reason: `${program} may change files, and ${cwd} is not in the workspace`,
    ...forAgent('run it in the workspace, or ask the operator for an entry with this cwd'),
    explicit: true,
  };
}
