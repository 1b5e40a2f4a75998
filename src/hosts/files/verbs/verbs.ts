/** The commands that change files of the workspace without a program. */
import type { Verb } from './context.ts';
import { chmod } from './chmod.ts';
import { cp, mv } from './copy.ts';
import { mkdir, touch } from './make.ts';
import { rm, rmdir } from './remove.ts';

export const FILE_VERBS = { mkdir, touch, rm, rmdir, cp, mv, chmod } as const satisfies Readonly<Record<string, Verb>>;
