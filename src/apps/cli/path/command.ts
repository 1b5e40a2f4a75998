import type { Files } from '../../../hosts/files/shape.ts';
import type { Output } from '../../terminal/output.ts';
import type { Paint } from '../../terminal/paint.ts';
import type { ParsedArguments } from '../arguments.ts';

export interface Run {
  readonly args: ParsedArguments;
  readonly files: Files;
  readonly cwd: string;
  readonly json: boolean;
  /** Whether standard error gets JSON. */
  readonly errorJson: boolean;
  readonly style: Paint;
  readonly output: Output;
}

export interface Preview {
  readonly dryRun: boolean;
  readonly diff: boolean;
}
