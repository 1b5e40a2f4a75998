import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf } from '../content-hash.ts';

/** The record of what `pincer init` did to a client's file, by the real path of that file. */
export function initRecordFile(stateDir: string, path: string): string {
  return join(stateDir, 'init', `${hashOf(Buffer.from(path)).slice(0, 32)}.json`);
}

/** Whether `pincer init` wrote this file, so that a client starts Pincer or its hook from it. */
export function isWrittenByInit(path: string, stateDir: string): boolean {
  return existsSync(join(stateDir, 'init')) && existsSync(initRecordFile(stateDir, path));
}
