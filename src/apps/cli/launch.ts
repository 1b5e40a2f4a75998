#!/usr/bin/env node
/**
 * Starts the program from its chunks, with the V8 code cache from the build (`NAME.cjs.code` next to `NAME.cjs`).
 * Compiling would be most of the time of a short command. If the cache is for another version of Node, V8 rejects it and
 * compiles. V8 does not check that the cache belongs to the chunk: a chunk ends with its hash, the cache file starts with
 * that hash, and a cache file that another user could have written is ignored.
 */
import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { useOwnPackagesOnly } from '../../hosts/process/programs/own-packages.ts';

/** For the build, which writes the code cache. */
export interface LoadedScript {
  readonly file: string;
  readonly script: Script;
}

type Require = (id: string) => unknown;
type Body = (exports: object, require: Require, module: { exports: object }, __filename: string) => void;

/** Loads a chunk and the chunks that it requires. */
export function chunkLoader(builtin: Require, loaded?: (script: LoadedScript) => void): (file: string) => object {
  const modules = new Map<string, { exports: object }>();
  return function load(file: string): object {
    const present = modules.get(file);
    if (present !== undefined) return present.exports;
    const module = { exports: {} };
    modules.set(file, module);
    const chunk = readFileSync(file);
    const source = `(function(exports,require,module,__filename){${chunk.toString('latin1')}\n})`;
    const cachedData = compiledCode(file, chunk);
    const script = new Script(source, { filename: file, ...(cachedData === undefined ? {} : { cachedData }) });
    loaded?.({ file, script });
    const body = script.runInThisContext() as Body;
    body(module.exports, (id) => (id[0] === '.' ? load(join(dirname(file), id)) : builtin(id)), module, file);
    return module.exports;
  };
}

/** Length of the hexadecimal hash at the end of a chunk, in bytes. */
const HASH_LENGTH = 32;
const WRITABLE_BY_OTHERS = 0o022;

/** Content of a cache file: the hash of the chunk, then the code. */
export function packedCode(chunk: Buffer, code: Buffer): Buffer {
  return Buffer.concat([chunk.subarray(-HASH_LENGTH), code]);
}

function compiledCode(file: string, chunk: Buffer): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(`${file}.code`, 'r');
  } catch {
    return undefined; // rarely needed chunks have no cache
  }
  try {
    if (!isSafelyOwned(fd, file)) return undefined;
    const cached = readFileSync(fd);
    const isOfChunk =
      cached.length > HASH_LENGTH && chunk.subarray(-HASH_LENGTH).equals(cached.subarray(0, HASH_LENGTH));
    return isOfChunk ? cached.subarray(HASH_LENGTH) : undefined;
  } finally {
    closeSync(fd);
  }
}

/** Windows has no such owners and modes. */
function isSafelyOwned(fd: number, file: string): boolean {
  if (process.platform === 'win32') return true;
  const { uid, mode } = fstatSync(fd);
  return uid === statSync(file).uid && (mode & WRITABLE_BY_OTHERS) === 0;
}

// The build requires this file for `chunkLoader`, without starting the program.
if (module.parent === null) {
  useOwnPackagesOnly();
  chunkLoader((id) => module.require(id))(join(__dirname, 'chunks', 'main.cjs'));
}
