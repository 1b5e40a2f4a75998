/**
 * What an entry allows for a program without a profile. Nothing is known about its arguments, so an entry that names only the
 * program allows what the screen accepts, or only shapes that a person has seen. In both, its input is closed.
 */
import type { AllowlistEntry, Binary, Lookup, Rules } from '../../wire/policy.ts';
import { shapeText } from '../../wire/rules/shape.ts';
import { forAgent, forOperator, type Hint } from '../hint.ts';
import { isVersionOrHelp } from '../programs/carriers.ts';
import { baseName, namesOf } from '../programs/names.ts';
import { toolFlags } from '../programs/tool-flags.ts';
import { patternFor } from '../rules/rule-for-call.ts';
import { screen } from './screen.ts';
import { shapeOf } from '../rules/shape.ts';

export interface UnprofiledCall {
  readonly binary: Binary;
  readonly args: readonly string[];
}

export interface UnprofiledContext {
  readonly rules: Rules;
  readonly lookup: Lookup;
  readonly cwd: string;
  /** A table says which of its options are dangerous. */
  readonly isInTable: boolean;
  /** Another command writes its input. */
  readonly isPiped?: boolean | undefined;
}

/** Why an entry for the program does not allow this call. */
export interface Uncovered extends Hint {
  readonly verdict: 'ask';
  readonly code: 'unprofiled';
  readonly reason: string;
  readonly word: number;
  /** Only a person may answer. */
  readonly explicit: true;
  /** The entry for its shape. */
  readonly proposal?: readonly AllowlistEntry[];
  /** An entry for exactly this call allows it. */
  readonly isKeptExactly?: true;
}

/** Why an entry that covers the call does not allow it; undefined where it does. */
export function unprofiledFinding(
  entry: AllowlistEntry,
  call: UnprofiledCall,
  context: UnprofiledContext,
): Uncovered | undefined {
  if (entry.arguments === 'any' || isVersionOrHelp(call.args)) return undefined;
  if (context.isPiped === true && !context.isInTable) return inputFinding(call);
  if (isWritten(entry)) return undefined;
  return context.rules.unprofiled === 'shapes' ? newShape(call, context) : screened(call, context);
}

/** A person has written the arguments that the entry allows, or has seen them. */
function isWritten({ argv, args, argPattern, words, shapes }: AllowlistEntry): boolean {
  return [argv, args, words, argPattern, shapes].some((member) => member !== undefined);
}

function screened({ binary, args }: UnprofiledCall, { lookup, isInTable }: UnprofiledContext): Uncovered | undefined {
  const found = isInTable ? undefined : screen(args, lookup, isKnown(binary));
  if (found === undefined) return undefined;
  const name = baseName(binary.path);
  return {
    ...uncovered(found.word, `${name} has no profile, and ${found.what} may start a program or load code`),
    ...forAgent('leave it out, or have the command approved'),
    isKeptExactly: true,
  };
}

function isKnown({ path, real }: Binary): boolean {
  return [...namesOf(path, undefined), ...namesOf(real, undefined)].some((name) => toolFlags(name) !== undefined);
}

/** The question about a call whose shape no person has seen. */
export function newShape({ binary, args }: UnprofiledCall, { cwd }: Pick<UnprofiledContext, 'cwd'>): Uncovered {
  const shape = shapeOf(args);
  const pattern = patternFor(binary);
  const form = args.length === 0 ? 'without arguments' : `in the form ${shapeText(shape)}`;
  return {
    ...uncovered(0, `${baseName(binary.path)} has no profile, and no person has allowed it ${form}`),
    ...forOperator('a person can allow this form'),
    ...(pattern === undefined ? {} : { proposal: [{ pattern, shapes: [shape], below: cwd, source: 'allow-always' }] }),
  };
}

function inputFinding({ binary }: UnprofiledCall): Uncovered {
  return {
    ...uncovered(0, `${baseName(binary.path)} has no profile, so it may take commands from the pipe that it reads`),
    ...forAgent('write the data into a file that it reads, or have the command approved'),
  };
}

function uncovered(word: number, reason: string): Pick<Uncovered, 'verdict' | 'code' | 'reason' | 'word' | 'explicit'> {
  return { verdict: 'ask', code: 'unprofiled', reason, word, explicit: true };
}
