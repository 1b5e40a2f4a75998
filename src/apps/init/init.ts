/** `pincer init` for one client: plans the changes of its files, and writes them. */
import { existsSync, realpathSync, rmdirSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { relativeInside } from '../../hosts/relative-inside.ts';
import { Fault } from '../../base/fault.ts';
import { errnoOf } from '../../hosts/files/faults.ts';
import { localFiles } from '../../hosts/files/files.ts';
import type { FileChange, Files } from '../../hosts/files/shape.ts';
import { type Client, type Scope, type Server, type Surroundings, TOKEN_VARIABLE } from './clients.ts';
import { readClientFile } from './client-file.ts';
import { launchOf } from './launch.ts';
import { inactiveHook } from './survey.ts';
import { type FilePlan, planFile } from './plan.ts';
import { hookTarget } from './hook-target.ts';
import { forgetRecord, writeRecord } from './record.ts';
import { fileOf, type FileTarget, mergeByFile, serverTarget } from './targets.ts';

export interface InitChoices {
  readonly client: Client;
  readonly scope: Scope;
  readonly remove: boolean;
  readonly hook: boolean;
  /** The URL of a running server; without it the client starts one. */
  readonly http?: string;
  readonly workspace?: string;
  readonly preset?: string;
}

export interface PreparedInit {
  readonly plans: readonly FilePlan[];
  /** Printed for the operator. */
  readonly notes: readonly string[];
  /** Files outside the project that would change through links of the repository; the operator must see them. */
  readonly outside: readonly string[];
  write(): Promise<void>;
}

export async function prepareInit(choices: InitChoices, at: Surroundings, stateDir: string): Promise<PreparedInit> {
  const files = localFiles({ cwd: at.folder, stateDir, workspaceOnly: false, home: at.home, protect: 'none' });
  const { targets, notes } = choices.remove ? await targetsToRemove(choices, at) : await targetsToAdd(choices, at);
  const folder = choices.scope === 'project' ? at.folder : at.home;
  const ground = { files, stateDir, folder };
  const plans = mergeByFile(targets).map((target) => planFile(ground, target, choices.remove ? 'take' : 'put'));
  const links = plans.filter(({ action, linked }) => action !== 'none' && linked !== undefined);
  const linkNotes = links.map(
    ({ target, linked }) => `${target.path} is a symlink: the file that changes is ${linked}`,
  );
  const outside = choices.scope === 'project' ? links.map(({ linked }) => linked!) : [];
  return {
    plans,
    notes: [...linkNotes, ...notes],
    outside: outside.filter((path) => relativeInside(realpathSync(folder), path) === undefined),
    write: () => writePlans(files, stateDir, plans, choices.scope),
  };
}

interface InitTargets {
  readonly targets: readonly FileTarget[];
  readonly notes: readonly string[];
}

async function targetsToAdd(choices: InitChoices, at: Surroundings): Promise<InitTargets> {
  const { client, scope, hook, http } = choices;
  const launch = launchOf(at.env['PATH'] ?? '');
  if (launch === undefined && (http === undefined || hook))
    throw new Fault('CONFIG_CLIENT_PROGRAM', 'pincer is not built, so no client can start it', {
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
    // The client will judge the hook by the new content of the file.
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
      : `create the folder ${folder} first: the server does not start without it`;
  return {
    targets,
    notes: [own, inactive, remark, token, missing].filter((note) => note !== undefined),
  };
}

/** The workspace in the entry, if any; Cursor's is a variable. */
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

/** All files of the scope that may contain entries of pincer. */
async function targetsToRemove({ client, scope }: InitChoices, at: Surroundings): Promise<InitTargets> {
  const targets = await Promise.all(client.files(scope, at).map((path) => serverTarget(client, path, {})));
  const { hooks } = client;
  if (hooks !== undefined) targets.push(await hookTarget(client, hooks, hooks.file(scope, at), []));
  return { targets, notes: [] };
}

/** Writes all planned files or none; each only if it is unchanged since it was planned. */
async function writePlans(files: Files, stateDir: string, plans: readonly FilePlan[], scope: Scope): Promise<void> {
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
  // A file in the user's scope may get secrets of other servers later, so only the user may read it.
  if (before === undefined) return { file, create: after!, ...(scope === 'user' ? { mode: 0o600 } : {}) };
  if (after === undefined) return { file, stamp: stamp!, remove: true };
  const splices = [{ start: 0, end: before.length, bytes: after }];
  return { file, stamp: stamp!, edit: { splices, old: before } };
}

/** Keeps a folder that is no longer empty. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errnoOf(error) ?? '')) throw error;
  }
}
