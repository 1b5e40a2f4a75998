/** `init` for one client, from the choices of the operator to what would be written. */
import { existsSync, realpathSync, rmdirSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { errnoOf } from '../../hosts/files/faults.ts';
import type { FileChange, Files } from '../../hosts/host.ts';
import { relativeInside } from '../../hosts/relative-inside.ts';
import { Fault } from '../../base/fault.ts';
import { localFiles } from '../../hosts/files/files.ts';
import { type Client, type Scope, type Server, type Surroundings, TOKEN_VARIABLE } from './clients.ts';
import { readClientFile } from './client-file.ts';
import { launchOf } from './launch.ts';
import { forgetRecord, writeRecord } from './record.ts';
import { inactiveHook } from './survey.ts';
import { type FilePlan, planFile } from './plan.ts';
import { hookTarget } from './hook-target.ts';
import { fileOf, type FileTarget, oneForEachFile, serverTarget } from './targets.ts';

export interface InitChoices {
  readonly client: Client;
  readonly scope: Scope;
  readonly remove: boolean;
  readonly hook: boolean;
  /** The address of a server that runs; without it the client starts one. */
  readonly http?: string;
  readonly workspace?: string;
  readonly preset?: string;
}

/** What would be done, and the way to do it. */
export interface PreparedInit {
  readonly plans: readonly FilePlan[];
  /** What the operator should know. */
  readonly notes: readonly string[];
  /** Files that would change although they lie outside of the project: a link of a repository must not lead there unseen. */
  readonly outside: readonly string[];
  write(): Promise<void>;
}

/** Reads the client's files and plans; nothing is written before `write`. */
export async function prepareInit(choices: InitChoices, at: Surroundings, stateDir: string): Promise<PreparedInit> {
  const files = localFiles({ cwd: at.folder, stateDir, workspaceOnly: false, home: at.home, protect: 'none' });
  const { targets, notes } = choices.remove ? await oursIn(choices, at) : await wanted(choices, at);
  const folder = choices.scope === 'project' ? at.folder : at.home;
  const ground = { files, stateDir, folder };
  const plans = oneForEachFile(targets).map((target) => planFile(ground, target, choices.remove ? 'take' : 'put'));
  const links = plans.filter(({ action, linked }) => action !== 'none' && linked !== undefined);
  const told = links.map(({ target, linked }) => `${target.path} leads to ${linked}, which is the file that changes`);
  const outside = choices.scope === 'project' ? links.map(({ linked }) => linked!) : [];
  return {
    plans,
    notes: [...told, ...notes],
    outside: outside.filter((path) => relativeInside(realpathSync(folder), path) === undefined),
    write: () => perform(files, stateDir, plans, choices.scope),
  };
}

interface Wanted {
  readonly targets: readonly FileTarget[];
  readonly notes: readonly string[];
}

async function wanted(choices: InitChoices, at: Surroundings): Promise<Wanted> {
  const { client, scope, hook, http } = choices;
  const launch = launchOf(at.env['PATH'] ?? '');
  if (launch === undefined && (http === undefined || hook))
    throw new Fault('CONFIG_CLIENT_PROGRAM', 'there is no built program that a client could start', {
      hint: 'build it first: npm run build',
    });
  const server: Server =
    http === undefined
      ? { transport: 'stdio', command: launch!.command, args: [...launch!.args, ...mcpArguments(choices, at)] }
      : { transport: 'http', url: http };
  const targets = [await serverTarget(client, await fileOf(client, scope, at), client.entry(server))];
  const hooks = hook ? client.hooks : undefined;
  let inactive: string | undefined;
  if (hooks !== undefined) {
    const path = hooks.file(scope, at);
    const target = await hookTarget(client, hooks, path, [launch!.command, ...launch!.args]);
    targets.push(target);
    // The client decides about the hook as it will be in the file.
    const text = target.editor.put(existsSync(path) ? readClientFile(path) : '').text;
    const found = await inactiveHook(client, path, text, at);
    inactive = found === undefined ? undefined : `${found.why}: ${found.fix}`;
  }
  const own = client.note?.[scope];
  const remark = http === undefined || hook ? launch?.remark : undefined;
  const token =
    http === undefined ? undefined : `set ${TOKEN_VARIABLE} for ${client.title} to the token of pincer serve`;
  const folder = http === undefined ? folderOf(choices, at) : undefined;
  const missing =
    folder === undefined || !isAbsolute(folder) || existsSync(folder)
      ? undefined
      : `make the folder ${folder} first: the server does not start without it`;
  return {
    targets,
    notes: [own, inactive, remark, token, missing].filter((note) => note !== undefined),
  };
}

/** The folder that the entry names, if it names one; Cursor's is a reference. */
function folderOf({ client, workspace }: InitChoices, at: Surroundings): string | undefined {
  return workspace ?? client.workspace?.(at);
}

function mcpArguments(choices: InitChoices, at: Surroundings): readonly string[] {
  const { preset } = choices;
  const folder = folderOf(choices, at);
  return [
    'mcp',
    ...(folder === undefined ? [] : ['--workspace', folder]),
    ...(preset === undefined ? [] : ['--preset', preset]),
  ];
}

/** All files of the scope that may hold something of ours. */
async function oursIn({ client, scope }: InitChoices, at: Surroundings): Promise<Wanted> {
  const targets = await Promise.all(client.files(scope, at).map((path) => serverTarget(client, path, {})));
  const { hooks } = client;
  if (hooks !== undefined) targets.push(await hookTarget(client, hooks, hooks.file(scope, at), []));
  return { targets, notes: [] };
}

// Writes what was planned: all files of a client or none, each only if it is still as it was when it was shown.

async function perform(files: Files, stateDir: string, plans: readonly FilePlan[], scope: Scope): Promise<void> {
  const active = plans.filter(({ action }) => action !== 'none');
  const writer = await files.writer('init');
  writer.commit(active.map((plan) => changeOf(plan, scope)));
  for (const { record, place, action, folders } of active) {
    if (record === undefined) forgetRecord(stateDir, place.file.path);
    else writeRecord(stateDir, record);
    if (action === 'delete') for (const folder of folders.toReversed()) removeEmpty(folder);
  }
}

function changeOf({ place: { file, stamp }, before, after }: FilePlan, scope: Scope): FileChange {
  // What only its user reads may hold the secrets of other servers later on.
  if (before === undefined) return { file, create: after!, ...(scope === 'user' ? { mode: 0o600 } : {}) };
  if (after === undefined) return { file, stamp: stamp!, remove: true };
  const splices = [{ start: 0, end: before.length, bytes: after }];
  return { file, stamp: stamp!, edit: { splices, old: before } };
}

/** A folder that is in use by now stays. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errnoOf(error) ?? '')) throw error;
  }
}
