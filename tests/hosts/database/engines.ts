import type { EngineName } from '../../../src/hosts/database/shape.ts';

/** The engines that this Node has: the package always, the built-in one from 22.13 on. */
export const ENGINES: readonly EngineName[] =
  process.getBuiltinModule('node:sqlite') === undefined ? ['libsql'] : ['libsql', 'node:sqlite'];
