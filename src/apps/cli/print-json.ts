import { jsonOutput, type Output } from '../terminal/output.ts';

/** Prints indented JSON, with control characters escaped on a terminal. */
export function printJson(output: Output, value: object): void {
  jsonOutput(output).out(`${JSON.stringify(value, null, 2)}\n`);
}
