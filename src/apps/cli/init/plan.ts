/** What `pincer init` would write: the settings of a posture and the files of a client, shown first and written in a safe order. */
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
import { fileOfLayer } from '../config/command.ts';
import { type SettingsRequest, warningsAfter, writeSettings } from '../config/write.ts';
import type { SandboxSettings } from '../../../wire/sandbox.ts';
import { ownProgram } from '../own-program.ts';

/** What is to be done, with every step answered. */
export interface InitWork {
  readonly client?: InitChoices;
  readonly posture?: PostureChoice;
  /** The folder that the posture is for. */
  readonly folder: string;
}

/** One file, and what becomes of it. */
export interface PlannedFile {
  readonly path: string;
  /** The file that links lead to. */
  readonly linked?: string;
  readonly part: 'server' | 'hook' | 'server-and-hook' | 'settings';
  readonly action: 'create' | 'change' | 'delete' | 'none';
  readonly diff: string;
}

/** The files with their differences, and the way to write them. */
export interface InitPlan {
  readonly files: readonly PlannedFile[];
  readonly notes: readonly string[];
  /** Files outside of the project that a link leads to. */
  readonly outside: readonly string[];
  readonly hasChanges: boolean;
  write(): Promise<void>;
  /** What the configuration has to say after the write. */
  warnings(): Promise<readonly string[]>;
}

/** Reads what there is and plans; nothing is written before `write`. */
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
  const stays = client?.remove === true && posture === undefined ? await postureThatStays(folder) : [];
  const elsewhere =
    client?.http === undefined || client.remove
      ? []
      : [`${client.http} decides what happens to commands: the start of pincer serve shows it`];
  const changesClient = clientFiles.some(({ action }) => action !== 'none');
  const clientStep =
    changesClient && prepared !== undefined
      ? [{ what: `the file of ${client?.client.title}`, write: () => prepared.write() }]
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

/** What protects is written first, and what takes protection away last: a crash in between leaves no less than was asked for. */
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

/** Writes one after the other; a failure says what is written already. */
async function writeInOrder(steps: readonly WriteStep[]): Promise<void> {
  const done: string[] = [];
  for (const { what, write } of steps) {
    try {
      await write();
    } catch (error) {
      if (!(error instanceof Fault) || done.length === 0) throw error;
      const { code, message, hint, details } = error;
      throw new Fault(code, `${message}; ${done.join(', ')} is written already`, {
        hint: hint ?? 'run pincer init again',
        details: details ?? {},
        cause: error,
      });
    }
    done.push(what);
  }
}

/** The backends of this machine, probed in the order of preference; the last one works, or none does. */
export async function probesIn(folder: string): Promise<readonly BackendProbe[]> {
  const program = ownProgram();
  return program === undefined ? [] : probeBackends(await sandboxIn(folder), program);
}

/** The settings that a sandbox of the agent would be made with. */
export async function sandboxIn(folder: string): Promise<SandboxSettings> {
  const { config } = await loadConfig({ folder });
  return sandboxSettings(config, agentName(), homeFolder());
}

/** Where the program runs from its sources. */
export const NOT_BUILT = { message: 'the program is not built', hint: 'npm run build' };

/** The posture with the backend that works here; a fault where `sandboxed` is asked for and none does. */
export function postureChoice(name: PostureName, probes: readonly BackendProbe[]): PostureChoice {
  if (name !== 'sandboxed') return { name };
  const works = probes.find(({ probe }) => probe.ok);
  if (works !== undefined) return { name, backend: works.backend };
  const [first] = probes;
  const trouble = first?.probe.ok === false ? first.probe : NOT_BUILT;
  throw unavailable({ message: `no sandbox works here: ${trouble.message}`, hint: trouble.hint });
}

interface SettingsPlan {
  readonly request: SettingsRequest;
  readonly file: PlannedFile;
}

/** The settings of a posture in the user's file. */
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

/** The settings guard every client, so that taking one client out leaves them, and says so. */
async function postureThatStays(folder: string): Promise<readonly string[]> {
  const { file } = await planSettings({ name: 'open' }, folder);
  if (file.action === 'none') return [];
  return [`the settings of the posture stay in ${file.path}; pincer init --posture open removes them`];
}
