/**
 * Whether an entry among a client's servers certainly starts another program than ours. The forms that count are listed; every
 * other one may lead to us: shells, env, docker and ssh start what their words say, an address may be that of `pincer serve`.
 */
import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import { createLookup } from '../../hosts/process/programs/which.ts';
import type { Surroundings } from './clients.ts';

const NAMES_US = /pincer/iu;
const INTERPRETER = /^(?:node(?:js)?|python)[\d.]*$/u;
const RUNNER = /^(?:npx|bunx|uvx)$/u;
const RUNNER_FLAG = /^(?:-y|--yes|-q|--quiet)$/u;
const PACKAGE = /^(?:@[\w.-]+\/)?[\w.-]+(?:@[\w.-]+)?$/u;
/** An argument that is neither an address nor text for a shell. */
const PLAIN = /^[\w@%+=,./-]*$/u;
/** What servers are started with; a launcher would have the name of a program here. */
const SERVER_WORD = /^(?:mcp|stdio|serve|server|start|--?[a-z][a-z-]*)$/u;
/** As much of a script as is searched. */
const SEARCHED_BYTES = 65_536;

/** Whether it is a script, one package of a runner, or a program with the words of a server, none of which names us. */
export function isOtherServer(entry: unknown, { env, folder }: Pick<Surroundings, 'env' | 'folder'>): boolean {
  if (typeof entry !== 'object' || entry === null || NAMES_US.test(JSON.stringify(entry))) return false;
  const { command, args = [] } = entry as Readonly<Record<string, unknown>>;
  const words = [command, args].flat();
  if (!words.every((word): word is string => typeof word === 'string' && PLAIN.test(word))) return false;
  const [program = '', ...rest] = words;
  if (RUNNER.test(basename(program))) {
    const [name, ...others] = rest.filter((word) => !RUNNER_FLAG.test(word));
    return name !== undefined && others.length === 0 && PACKAGE.test(name);
  }
  if (INTERPRETER.test(basename(program))) {
    const [script = ''] = rest;
    return isAbsolute(script) && namesOther(script);
  }
  const found = createLookup({ path: env['PATH'] ?? '', cwd: folder }).find(program);
  return found !== undefined && rest.every((word) => SERVER_WORD.test(word)) && namesOther(found.path);
}

/** Whether a file is there that neither is ours nor names us in its text. */
function namesOther(path: string): boolean {
  try {
    const real = realpathSync(path);
    return !NAMES_US.test(real) && !NAMES_US.test(beginningOf(real));
  } catch {
    return false; // it cannot be read, so it is not certain
  }
}

function beginningOf(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(SEARCHED_BYTES);
    return bytes.subarray(0, readSync(file, bytes)).toString('latin1');
  } finally {
    closeSync(file);
  }
}
