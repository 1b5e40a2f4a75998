import { jsonOutput, type Output } from '../terminal/output.ts';

/** An answer for programs; harmless when a person looks at it. */
export function printJson(output: Output, answer: object): void {
  jsonOutput(output).out(`${JSON.stringify(answer, null, 2)}\n`);
}
