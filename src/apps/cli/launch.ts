#!/usr/bin/env node
/**
 * Starts the program from its chunks with the code that V8 compiled for them when they were built (`NAME.cjs.code`
 * beside `NAME.cjs`). Compiling is most of what a short command does; where the compiled code does not fit this Node,
 * V8 refuses it and compiles as always. V8 does not check that the code belongs to the chunk, so a chunk ends with a hash
 * of itself, the file of code begins with it, and one that somebody else than the owner could have written is not read.
 */
import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { useOwnPackagesOnly } from '../../hosts/process/programs/own-packages.ts';

/** A script with the file it came from, for the build that makes the compiled code. */
export interface LoadedScript {
  readonly file: string;
  readonly script: Script;
}

type Require = (id: string) => unknown;
type Body = (exports: object, require: Require, module: { exports: object }, __filename: string) => void;

/** Loads a chunk and, through its `require`, the chunks it needs. */
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

/** How many bytes at the end of a chunk are its hash, in hexadecimal digits. */
const HASH_LENGTH = 32;
const WRITABLE_BY_OTHERS = 0o022;

/** The compiled code of a chunk as it is kept: behind the hash that ends the chunk. */
export function packedCode(chunk: Buffer, code: Buffer): Buffer {
  return Buffer.concat([chunk.subarray(-HASH_LENGTH), code]);
}

function compiledCode(file: string, chunk: Buffer): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(`${file}.code`, 'r');
  } catch {
    return undefined; // a chunk that is seldom needed has none
  }
  try {
    if (!isOfOwner(fd, file)) return undefined;
    const kept = readFileSync(fd);
    const isOfChunk = kept.length > HASH_LENGTH && chunk.subarray(-HASH_LENGTH).equals(kept.subarray(0, HASH_LENGTH));
    return isOfChunk ? kept.subarray(HASH_LENGTH) : undefined;
  } finally {
    closeSync(fd);
  }
}

/** Windows has no such owners and modes: there the folder of the program decides. */
function isOfOwner(fd: number, file: string): boolean {
  if (process.platform === 'win32') return true;
  const { uid, mode } = fstatSync(fd);
  return uid === statSync(file).uid && (mode & WRITABLE_BY_OTHERS) === 0;
}

// The build requires this file for its loader; then it does not start the program.
if (module.parent === null) {
  useOwnPackagesOnly();
  chunkLoader((id) => module.require(id))(join(__dirname, 'chunks', 'main.cjs'));
}
