/** Finds the clients on this machine, and their entries of pincer. */
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

export interface FileState {
  readonly scope: Scope;
  readonly part: FileTarget['part'];
  readonly path: string;
  readonly exists: boolean;
  /** Pincer's entry as plain data; undefined if there is none. */
  readonly entry?: unknown;
  /** Why the client does not run the hook. */
  readonly inactive?: InactiveHook;
  /** Why the file cannot be read. */
  readonly problem?: string;
}

export interface ClientState {
  readonly name: ClientName;
  readonly title: string;
  /** The client's program on PATH. */
  readonly program?: string;
  /** Whether its program, one of its files or a folder for them exists. */
  readonly found: boolean;
  readonly files: readonly FileState[];
}

export function surveyClients(at: Surroundings): Promise<readonly ClientState[]> {
  return Promise.all(CLIENTS.map((client) => surveyClient(client, at)));
}

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
    // Report the problem of a file with both parts once.
    for (const state of await Promise.all(targets.map((target) => stateOf(target, scope, client, at))))
      if (
        state.problem === undefined ||
        !files.some(({ path, problem }) => path === state.path && problem !== undefined)
      )
        files.push(state);
  }
  // A folder for the client's files shows that the client is installed; project and home folder always exist.
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

/** Why the client does not run pincer's hook in this text; undefined if it does, or if there is no hook. */
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
