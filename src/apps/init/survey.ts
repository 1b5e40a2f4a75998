/** Which clients are on this machine, and which of them have Pincer configured. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { createLookup } from '../../hosts/process/programs/which.ts';
import { readClientFile } from './client-file.ts';
import { type Client, CLIENTS, type ClientName, type Scope, type Surroundings } from './clients.ts';
import type { InactiveHook } from './codex-trust.ts';
import { hookTarget, placedHook } from './hook-target.ts';
import { type FileTarget, serverTarget } from './targets.ts';
import { TomlProblem } from './toml-scan.ts';

/** One file of a client. */
export interface FileState {
  readonly scope: Scope;
  readonly part: FileTarget['part'];
  readonly path: string;
  readonly exists: boolean;
  /** Our entry as it stands there, in plain data; undefined where there is none. */
  readonly entry?: unknown;
  /** Why the client does not run our hook, although it is there. */
  readonly inactive?: InactiveHook;
  /** Why nobody can tell. */
  readonly problem?: string;
}

export interface ClientState {
  readonly name: ClientName;
  readonly title: string;
  /** The client's program on PATH. */
  readonly program?: string;
  /** Whether its program, a file of its own or the folder for one is there. */
  readonly found: boolean;
  readonly files: readonly FileState[];
}

/** Looks at all clients; reads their files and changes nothing. */
export function surveyClients(at: Surroundings): Promise<readonly ClientState[]> {
  return Promise.all(CLIENTS.map((client) => surveyClient(client, at)));
}

/** Looks at one client. */
export async function surveyClient(client: Client, at: Surroundings): Promise<ClientState> {
  const program = createLookup({ path: at.env['PATH'] ?? '', cwd: at.folder }).find(client.program)?.path;
  const files: FileState[] = [];
  for (const scope of client.scopes) {
    const all = client.files(scope, at);
    const present = all.filter((path) => existsSync(path));
    const shown = present.length > 0 ? present : [all[0]];
    const targets = await Promise.all(shown.map((path) => serverTarget(client, path, {})));
    const { hooks } = client;
    if (hooks !== undefined) targets.push(await hookTarget(client, hooks, hooks.file(scope, at), []));
    // A file that holds both parts has one problem.
    for (const state of await Promise.all(targets.map((target) => stateOf(target, scope, client, at))))
      if (
        state.problem === undefined ||
        !files.some(({ path, problem }) => path === state.path && problem !== undefined)
      )
        files.push(state);
  }
  // A folder for files of its own tells of the client; the project and the home are there for everybody.
  const own = files.some(
    ({ exists, path }) => exists || (![at.folder, at.home].includes(dirname(path)) && existsSync(dirname(path))),
  );
  return {
    name: client.name,
    title: client.title,
    ...(program === undefined ? {} : { program }),
    found: program !== undefined || own,
    files,
  };
}

async function stateOf(
  { path, part, editor }: FileTarget,
  scope: Scope,
  client: Client,
  at: Surroundings,
): Promise<FileState> {
  const state = { scope, part, path, exists: existsSync(path) };
  if (!state.exists) return state;
  try {
    const text = readClientFile(path);
    const entry = editor.find(text);
    if (entry === undefined) return state;
    const inactive = part === 'hook' ? await inactiveHook(client, path, text, at) : undefined;
    return { ...state, entry, ...(inactive === undefined ? {} : { inactive }) };
  } catch (error) {
    if (!(error instanceof Fault) && !(error instanceof TomlProblem) && !(error instanceof Error && 'code' in error))
      throw error;
    return { ...state, problem: error.message };
  }
}

/** Why the client does not run our hook in this text of a file; undefined where it does, or where there is none. */
export async function inactiveHook(
  client: Client,
  path: string,
  text: string,
  at: Surroundings,
): Promise<InactiveHook | undefined> {
  const { hooks } = client;
  const placed = hooks?.inactive === undefined ? undefined : await placedHook(client, hooks, text);
  return placed === undefined ? undefined : hooks!.inactive!(placed, path, at);
}
