/** Plans what `pincer init` writes: posture settings and client files, shown first and written in a safe order. */
import { Fault } from '../../../base/fault.ts';
import type { ConfigChange } from '../../../config/edit/change.ts';
import { loadConfig, loadLayers } from '../../../config/load/load.ts';
import { sandboxSettings } from '../../../config/sandbox-settings.ts';
import { agentName } from '../../../config/agent.ts';
import { homeFolder, stateFolder } from '../../../config/state.ts';
import { unavailable } from '../../../hosts/sandbox/probe.ts';
import type { Surroundings } from '../../init/clients.ts';
import { type InitChoices, prepareInit } from '../../init/init.ts';
import { shownDiff } from '../../init/shown-diff.ts';
import { type PostureChoice, postureEdits, type PostureName } from '../../posture-choice.ts';
import { type BackendProbe, probeBackends } from '../../sandbox-probe.ts';
import { fileOfLayer } from '../config/config-run.ts';
import { type SettingsRequest, warningsAfter } from '../../../config/edit/write-settings.ts';
import { writeSettings } from '../config/write.ts';
import type { SandboxSettings } from '../../../wire/sandbox.ts';
import { ownProgram } from '../own-program.ts';

export interface InitWork {
  readonly client?: InitChoices;
  readonly posture?: PostureChoice;
  /** Where the posture is evaluated. */
  readonly folder: string;
}

export interface PlannedFile {
  readonly path: string;
  /** Target, if `path` is a symlink. */
  readonly linked?: string;
  readonly part: 'server' | 'hook' | 'server-and-hook' | 'settings';
  readonly action: 'create' | 'change' | 'delete' | 'none';
  readonly diff: string;
}

export interface InitPlan {
  readonly files: readonly PlannedFile[];
  readonly notes: readonly string[];
  /** Files outside the project that symlinks lead to. */
  readonly outside: readonly string[];
  readonly hasChanges: boolean;
  write(): Promise<void>;
  /** Configuration warnings after the write. */
  warnings(): Promise<readonly string[]>;
}

/** Writes nothing before `write`. */
export async function planInit({ client, posture, folder }: InitWork, at: Surroundings): Promise<InitPlan> {
  const settings = posture === undefined ? undefined : await planSettings(posture, folder);
  const prepared = client === undefined ? undefined : await prepareInit(client, at, stateFolder());
  const clientFiles = (prepared?.plans ?? [])
    .filter(({ before, action }) => before !== undefined || action !== 'none')
    .map(
      ({ target, linked, action, diff }): PlannedFile => ({
        path: target.path,
        ...(linked === undefined ? {} : { linked }),
        part: target.part,
        action,
        diff,
      }),
    );
  const files = [...(settings === undefined ? [] : [settings.file]), ...clientFiles];
  const stays = client?.remove === true && posture === undefined ? await remainingPostureNote(folder) : [];
  const elsewhere =
    client?.http === undefined || client.remove
      ? []
      : [`the server at ${client.http} decides what happens to commands: pincer serve prints it at start`];
  const changesClient = clientFiles.some(({ action }) => action !== 'none');
  const clientStep =
    changesClient && prepared !== undefined
      ? [{ what: `the configuration of ${client?.client.title}`, write: () => prepared.write() }]
      : [];
  const settingsStep =
    settings === undefined || settings.file.action === 'none'
      ? []
      : [{ what: settings.file.path, write: () => writeSettings(settings.request) }];
  const steps = inSafeOrder(settingsStep, clientStep, { posture: posture?.name, removes: client?.remove === true });
  return {
    files,
    notes: [...(prepared?.notes ?? []), ...elsewhere, ...stays],
    outside: prepared?.outside ?? [],
    hasChanges: files.some(({ action }) => action !== 'none'),
    write: () => writeInOrder(steps),
    warnings: async () => (settings === undefined ? [] : warningsAfter(settings.request)),
  };
}

/** Writes protection first and removes it last, so that a crash in between never leaves less protection than requested. */
function inSafeOrder(
  settings: readonly WriteStep[],
  client: readonly WriteStep[],
  { posture, removes }: { readonly posture: PostureName | undefined; readonly removes: boolean },
): readonly WriteStep[] {
  const settingsFirst = posture !== 'open' || removes;
  return settingsFirst ? [...settings, ...client] : [...client, ...settings];
}

interface WriteStep {
  readonly what: string;
  readonly write: () => Promise<unknown>;
}

/** A failure names what is already written. */
async function writeInOrder(steps: readonly WriteStep[]): Promise<void> {
  const done: string[] = [];
  for (const { what, write } of steps) {
    try {
      await write();
    } catch (error) {
      if (!(error instanceof Fault) || done.length === 0) throw error;
      const { code, message, hint, details } = error;
      throw new Fault(code, `${message}; already written: ${done.join(', ')}`, {
        hint: hint ?? 'run pincer init again',
        details: details ?? {},
        cause: error,
      });
    }
    done.push(what);
  }
}

/** Probes the backends in order of preference. Only the last one may work. */
export async function probeBackendsFor(folder: string): Promise<readonly BackendProbe[]> {
  const program = ownProgram();
  return program === undefined ? [] : probeBackends(await sandboxSettingsFor(folder), program);
}

export async function sandboxSettingsFor(folder: string): Promise<SandboxSettings> {
  const { config } = await loadConfig({ folder });
  return sandboxSettings(config, agentName(), homeFolder());
}

/** The program runs from its sources. */
export const NOT_BUILT = { message: 'the program is not built', hint: 'npm run build' };

/** Adds the backend that works here to `sandboxed`; throws if none works. */
export function postureChoice(name: PostureName, probes: readonly BackendProbe[]): PostureChoice {
  if (name !== 'sandboxed') return { name };
  const works = probes.find(({ probe }) => probe.ok);
  if (works !== undefined) return { name, backend: works.backend };
  const [first] = probes;
  const problem = first?.probe.ok === false ? first.probe : NOT_BUILT;
  throw unavailable({ message: `no sandbox works here: ${problem.message}`, hint: problem.hint });
}

interface SettingsPlan {
  readonly request: SettingsRequest;
  readonly file: PlannedFile;
}

/** The settings of a posture in the user's file, which applies to all projects of this user. */
export async function planSettings(posture: PostureChoice, folder: string): Promise<SettingsPlan> {
  const request = {
    folder,
    named: fileOfLayer(folder, 'user'),
    edits: postureEdits(posture, await loadLayers({ folder })),
  };
  const shown = await writeSettings({ ...request, dryRun: true });
  return { request, file: fileOf(shown) };
}

function fileOf({ path, changed, created, before, after }: ConfigChange): PlannedFile {
  return {
    path,
    part: 'settings',
    action: !changed ? 'none' : created ? 'create' : 'change',
    diff: changed ? shownDiff(path, created ? undefined : before, after) : '',
  };
}

/** The settings protect every client, so removing one client keeps them. */
async function remainingPostureNote(folder: string): Promise<readonly string[]> {
  const { file } = await planSettings({ name: 'open' }, folder);
  if (file.action === 'none') return [];
  return [`the posture settings stay in ${file.path}; pincer init --posture open removes them`];
}
