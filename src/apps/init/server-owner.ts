/**
 * Identifies the owner of a server entry in a client's file. Only a few known forms prove that an entry starts another
 * program. Every other form may start pincer: shells, env, docker and ssh run their arguments, and a URL may be that of
 * `pincer serve`.
 */
import { closeSync, existsSync, openSync, readSync, realpathSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import { createLookup } from '../../hosts/process/programs/which.ts';
import { type Client, SERVER_NAME, type Surroundings } from './clients.ts';
import { isPincerServer } from './own-entries.ts';
import { entryNamed } from './targets.ts';

/**
 * `unclear`: an entry that may start pincer through another program. `unknown`: a server in none of the files, such as one
 * of a plug-in, of a command line, or of a scope that is not read.
 */
export type ServerOwner = 'pincer' | 'other' | 'unclear' | 'unknown';

/** Among several entries with the name, it is unknown which one the client uses: the least favorable owner counts. */
export async function ownerOfServer(client: Client, name: string, at: Surroundings): Promise<ServerOwner> {
  if (name === SERVER_NAME) return 'pincer';
  const owners: ServerOwner[] = [];
  for (const path of client.scopes.flatMap((scope) => client.files(scope, at)))
    if (existsSync(path)) owners.push(ownerOf(await entryNamed(client, path, name), at));
  return (['pincer', 'unclear', 'other'] as const).find((owner) => owners.includes(owner)) ?? 'unknown';
}

function ownerOf(entry: unknown, at: Surroundings): ServerOwner {
  if (entry === undefined) return 'unknown';
  if (isPincerServer(entry)) return 'pincer';
  return isOtherServer(entry, at) ? 'other' : 'unclear';
}

const NAMES_PINCER = /pincer/iu;
const INTERPRETER = /^(?:node(?:js)?|python)[\d.]*$/u;
const RUNNER = /^(?:npx|bunx|uvx)$/u;
const RUNNER_FLAG = /^(?:-y|--yes|-q|--quiet)$/u;
const PACKAGE = /^(?:@[\w.-]+\/)?[\w.-]+(?:@[\w.-]+)?$/u;
/** An argument that is neither a URL nor shell code. */
const PLAIN = /^[\w@%+=,./-]*$/u;
/** Usual arguments of servers; a launcher would have the name of a program here. */
const SERVER_ARGUMENT = /^(?:mcp|stdio|serve|server|start|--?[a-z][a-z-]*)$/u;
/** Only this many bytes of a script are searched. */
const SEARCHED_BYTES = 65_536;

/** Whether it is a script, a package of a runner, or a program with usual arguments, none of which mentions pincer. */
export function isOtherServer(entry: unknown, { env, folder }: Pick<Surroundings, 'env' | 'folder'>): boolean {
  if (typeof entry !== 'object' || entry === null || NAMES_PINCER.test(JSON.stringify(entry))) return false;
  const { command, args = [] } = entry as Readonly<Record<string, unknown>>;
  const line = [command, args].flat();
  if (!line.every((arg): arg is string => typeof arg === 'string' && PLAIN.test(arg))) return false;
  const [program = '', ...rest] = line;
  if (RUNNER.test(basename(program))) {
    const [name, ...others] = rest.filter((arg) => !RUNNER_FLAG.test(arg));
    return name !== undefined && others.length === 0 && PACKAGE.test(name);
  }
  if (INTERPRETER.test(basename(program))) {
    const [script = ''] = rest;
    return isAbsolute(script) && isOtherProgram(script);
  }
  const found = createLookup({ path: env['PATH'] ?? '', cwd: folder }).find(program);
  return found !== undefined && rest.every((arg) => SERVER_ARGUMENT.test(arg)) && isOtherProgram(found.path);
}

/** Whether the file exists, is not pincer, and does not mention it. */
function isOtherProgram(path: string): boolean {
  try {
    const real = realpathSync(path);
    return !NAMES_PINCER.test(real) && !NAMES_PINCER.test(beginningOf(real));
  } catch {
    return false; // unreadable, so nothing is proven
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
