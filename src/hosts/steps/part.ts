/** A part of a pipeline: programs that the runner starts together, or one verb in this process. */
import type { Launched } from '../process/launch.ts';
import type { InputTaker } from './session-input.ts';

export type PartEnd =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly signal?: string;
      /** Why it did not start. */
      readonly message?: string;
    }
  /** The command ends: a program is not the one that was judged. */
  | { readonly kind: 'changed'; readonly message: string }
  /** The runner is gone. */
  | { readonly kind: 'lost'; readonly message?: string };

export interface Part {
  /** Takes the output of the part before it, or the input of the session. */
  readonly input: InputTaker;
  /** The part after it reads no more. */
  stopOutput(): void;
  /** Undefined while nothing was started, and for verbs. */
  readonly launched: Launched | undefined;
  /** Resolves when it has started; a part that could not start has ended. */
  readonly started: Promise<void>;
  readonly ended: Promise<PartEnd>;
}

/** The streams of the session, and what one part writes to the next. */
export interface PartOutput {
  write(stream: 'out' | 'err', bytes: Uint8Array): boolean;
  /** To the part after it. False pauses the programs until `resume` of their handle. */
  next(bytes: Uint8Array): boolean;
}
