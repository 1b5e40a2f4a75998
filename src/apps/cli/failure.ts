import { Fault } from '../../base/fault.ts';
import type { Output } from './output.ts';

const EXIT_BY_AREA: Readonly<Record<string, number>> = { OC: 2, USAGE: 2, PARAM: 2, CONFIG: 2, FS: 3, INTERNAL: 3 };
const EXIT_BY_CODE: Readonly<Record<string, number>> = {
  OC_EMIT_SENTINEL: 1,
  OC_PATH_FILE_NOT_REGULAR: 3,
  FS_OUTSIDE_WORKSPACE: 2,
};

/** The exit code of a fault: 1 refused, 2 a wrong question, 3 the world failed. */
export function exitCodeOf(fault: Fault): number {
  return EXIT_BY_CODE[fault.code] ?? EXIT_BY_AREA[fault.code.slice(0, fault.code.indexOf('_'))] ?? 3;
}

/** Says what went wrong on standard error, one line of JSON or plain text, and gives the exit code. */
export function reportFailure(error: unknown, json: boolean, output: Output): number {
  const fault = error instanceof Fault ? error : unforeseen(error);
  const { code, message, hint, details } = fault;
  if (json)
    output.err(
      `${JSON.stringify({ error: { code, message, ...(hint ? { hint } : {}), ...(details ? { details } : {}) } })}\n`,
    );
  else output.err(`${code}: ${message}\n${hint ? `hint: ${hint}\n` : ''}`);
  return exitCodeOf(fault);
}

function unforeseen(error: unknown): Fault {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new Fault('INTERNAL_ERROR', message, {
    hint: 'this is a defect of pincer; please report it with the command',
  });
}
