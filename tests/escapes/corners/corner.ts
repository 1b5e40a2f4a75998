/** Short ways to write a corner of the patch format as a case. */
import { allows, type EscapeCase, type Leaves, refuses } from '../case.ts';
import { file } from '../ground.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

const call = (input: string) => ({ tool: 'apply_patch', args: { input } });
const plants = (files: Files) => Object.entries(files).map(([name, content]) => file(name, content));

/** A patch between its two markers. */
export const body = (...lines: readonly string[]): string =>
  ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');

/** One section that updates a file. */
export const update = (path: string, ...lines: readonly string[]): string => body(`*** Update File: ${path}`, ...lines);

/** The patch applies and leaves exactly this. */
export const applies = (what: string, files: Files, input: string, leaves: Leaves): EscapeCase =>
  allows(what, call(input), leaves, ...plants(files));

/** The patch is refused and nothing has changed. */
export const declines = (what: string, files: Files, input: string): EscapeCase =>
  refuses(what, call(input), ...plants(files));
