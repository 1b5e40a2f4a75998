import { Fault } from '../../base/fault.ts';
import type { Document, Problem } from '../kinds/kind.ts';
import { positionAt } from '../lines/position.ts';

/** The fault for a document that cannot be trusted, with line, column and reason. */
export function brokenDocument(document: Document, problem: Problem): Fault {
  const { line, column } = positionAt(document.text, problem.offset);
  return new Fault(problem.code, `line ${line}, column ${column}: ${problem.message}`, {
    hint: 'mend the file by hand first',
    details: { line, column, offset: problem.offset },
  });
}
