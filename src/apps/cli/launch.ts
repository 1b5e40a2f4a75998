#!/usr/bin/env node
/**
 * Starts the program from its chunks with the code that V8 compiled for them when they were built (`NAME.cjs.code`
 * beside `NAME.cjs`). Compiling is most of what a short command does; where the compiled code does not fit this Node,
 * V8 refuses it and compiles as always. Only files of the installed program are read, never a folder that others write.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';

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
    const source = `(function(exports,require,module,__filename){${readFileSync(file, 'latin1')}\n})`;
    const cachedData = compiledCode(file);
    const script = new Script(source, { filename: file, ...(cachedData === undefined ? {} : { cachedData }) });
    loaded?.({ file, script });
    const body = script.runInThisContext() as Body;
    body(module.exports, (id) => (id[0] === '.' ? load(join(dirname(file), id)) : builtin(id)), module, file);
    return module.exports;
  };
}

function compiledCode(file: string): Buffer | undefined {
  try {
    return readFileSync(`${file}.code`);
  } catch {
    return undefined; // a chunk that is seldom needed has none
  }
}

// The build requires this file for its loader; then it does not start the program.
if (module.parent === null) chunkLoader((id) => module.require(id))(join(__dirname, 'chunks', 'main.cjs'));
