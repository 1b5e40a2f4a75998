import { Fault, faultData } from '../../base/fault.ts';
import type { Output } from './output.ts';
import { visibleLine } from './visible.ts';

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
  const { code, message, hint } = fault;
  if (json) output.err(`${visibleLine(JSON.stringify({ error: faultData(fault) }))}\n`);
  else output.err(`${code}: ${visibleLine(message)}\n${hint === undefined ? '' : `hint: ${visibleLine(hint)}\n`}`);
  return exitCodeOf(fault);
}

/** Says something beside the answer, in the form of the errors. */
export function reportNotice(message: string, json: boolean, output: Output): void {
  output.err(`${visibleLine(json ? JSON.stringify({ notice: { message } }) : `pincer: ${message}`)}\n`);
}

function unforeseen(error: unknown): Fault {
  return new Fault('INTERNAL_ERROR', `unexpected ${String(error)}${placeOf(error)}`, {
    hint: 'this is a defect of pincer; please report it with the command',
  });
}

/** Where it was thrown: enough for whoever mends it, and no page of frames for whoever reads it. */
function placeOf(error: unknown): string {
  const frame = /[^/\\(\s]+:\d+:\d+/.exec((error instanceof Error && error.stack?.split('\n    at ')[1]) || '')?.[0];
  return frame === undefined ? '' : ` (${frame})`;
}
