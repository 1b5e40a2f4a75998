import type { Verdict } from '../../wire/policy.ts';

/** What a program or its arguments are asked for, whatever an allowlist says. */
export interface Finding {
  readonly verdict: Exclude<Verdict, 'allow'>;
  readonly code: string;
  readonly reason: string;
  readonly hint: string;
  /** Which argument it is about; 0 is the program. */
  readonly word: number;
  /** Only a person may answer. */
  readonly explicit?: true;
  /** An approval of exactly these arguments may be kept. */
  readonly storable?: true;
}

/** Code as an argument, from standard input, or loaded in front of a script. */
export function inlineCode(word: number, reason: string): Finding {
  return {
    verdict: 'ask',
    code: 'inline-code',
    reason,
    hint: 'put the code into a file and run the file',
    word,
    explicit: true,
  };
}

/** An argument that names a program to run or a file to write. */
export function programFlag(word: number, reason: string): Finding {
  return {
    verdict: 'ask',
    code: 'program-flag',
    reason,
    hint: 'leave the option out',
    word,
    explicit: true,
    storable: true,
  };
}

/** A command that runs whatever a project's files say. */
export function projectCode(word: number, reason: string): Finding {
  return {
    verdict: 'ask',
    code: 'project-code',
    reason,
    hint: 'a person can allow exactly this command in this folder',
    word,
    storable: true,
  };
}

/** A call that may change files which are not the agent's. */
export function outsideWorkspace(word: number, reason: string): Finding {
  return {
    verdict: 'ask',
    code: 'outside-workspace',
    reason,
    hint: 'a person can allow exactly this command in this folder',
    word,
    explicit: true,
    storable: true,
  };
}

/** A program whose task is to run others, in ways that are not looked through. */
export function carrier(word: number, reason: string, hint: string): Finding {
  return { verdict: 'deny', code: 'carrier', reason, hint, word, explicit: true };
}
