import type { Files } from '../../../hosts/files/shape.ts';
import type { Output } from '../../terminal/output.ts';
import type { Paint } from '../../terminal/paint.ts';
import type { ParsedArguments } from '../arguments.ts';

/** One verb's run: its arguments, the files it may touch, and how to answer. */
export interface Run {
  readonly args: ParsedArguments;
  readonly files: Files;
  readonly cwd: string;
  readonly json: boolean;
  /** The form of what goes to standard error. */
  readonly errorJson: boolean;
  readonly style: Paint;
  readonly output: Output;
}

/** Whether to show instead of write, and how. */
export interface Preview {
  readonly dryRun: boolean;
  readonly diff: boolean;
}
