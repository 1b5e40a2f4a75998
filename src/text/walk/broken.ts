import { Fault } from '../../base/fault.ts';
import type { Document, Problem } from '../kind.ts';
import { type Position, positionAt } from '../lines/position.ts';

/** A malformed document: line, column and reason. The code that knows the file adds its name with `inFile`. */
export class BrokenDocument extends Fault {
  private readonly problem: Problem;
  private readonly position: Position;

  constructor(problem: Problem, position: Position, file?: string) {
    const { line, column } = position;
    super(problem.code, `${file === undefined ? '' : `${file}: `}line ${line}, column ${column}: ${problem.message}`, {
      hint: 'correct the file by hand first',
      details: { ...(file === undefined ? {} : { path: file }), line, column, offset: problem.offset },
    });
    this.problem = problem;
    this.position = position;
  }

  inFile(file: string): BrokenDocument {
    return new BrokenDocument(this.problem, this.position, file);
  }
}

export function brokenDocument(document: Document, problem: Problem): BrokenDocument {
  return new BrokenDocument(problem, positionAt(document.text, problem.offset));
}
