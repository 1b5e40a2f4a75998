/** The questions of the wizard. */
import type * as clack from '@clack/prompts';
import { agentName } from '../../../config/agent.ts';
import { HOOK_CLIENTS } from '../../hook/clients.ts';
import { type Client, CLIENTS, type Scope, type Surroundings } from '../../init/clients.ts';
import { limitsText } from '../../../hosts/gateway/posture/posture-limits.ts';
import { surveyClients } from '../../init/survey.ts';
import { POSTURES, type PostureName } from '../../posture-choice.ts';
import { postureReport } from '../../posture.ts';
import type { BackendProbe } from '../../sandbox-probe.ts';
import { wrapped } from '../../terminal/wrapped.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { Cancelled, unlessInterrupted } from './interrupt.ts';
import { NOT_BUILT, planSettings, postureChoice, probeBackendsFor, sandboxSettingsFor } from './plan.ts';
import type { InitRequest } from './request.ts';

export type Prompts = typeof clack;

/** Width of a terminal line after the bar that clack draws. */
export function lineWidth(): number {
  return Math.max(40, (process.stdout.columns || 80) - 3);
}

/** Wraps texts after the bar, with control characters escaped. */
export function inLines(texts: readonly string[]): string {
  return texts.flatMap((text) => wrapped(visibleLine(text), lineWidth())).join('\n');
}

export async function confirmed(prompts: Prompts, message: string, initialValue: boolean): Promise<boolean> {
  return answered(prompts, await prompts.confirm({ message, initialValue }));
}

function answered<T>(prompts: Prompts, value: T): Exclude<T, symbol> {
  if (prompts.isCancel(value)) throw new Cancelled();
  return value as Exclude<T, symbol>;
}

const NONE = 'none';

/** Lists installed clients first. Undefined for none. */
export async function askClient(prompts: Prompts, at: Surroundings, request: InitRequest): Promise<Client | undefined> {
  const possible = CLIENTS.filter((client) => fits(client, request)).map(({ name }) => name);
  const states = (await surveyClients(at)).filter(({ name }) => possible.includes(name));
  const options = [...states.filter(({ found }) => found), ...states.filter(({ found }) => !found)].map(
    ({ name, title, program, found, files }) => {
      const isKnown = files.some(({ entry }) => entry !== undefined);
      const place = found ? 'its program is not on PATH' : 'not found';
      // clack shows a hint only for the selected line.
      const label = program === undefined ? `${title} (${place})` : title;
      return {
        value: name,
        label,
        hint: [program, isKnown ? 'already configured' : undefined].filter(Boolean).join('; '),
      };
    },
  );
  const none = isForClient(request) ? [] : [{ value: NONE, label: 'none', hint: 'only choose the posture' }];
  const name = answered(prompts, await prompts.select({ message: 'Which client?', options: [...options, ...none] }));
  return CLIENTS.find((client) => client.name === name);
}

/** Whether a client supports the given flags. */
function fits(client: Client, { scope, hook }: InitRequest): boolean {
  return (scope === undefined || client.scopes.includes(scope)) && (hook !== true || client.hooks !== undefined);
}

/** Whether a flag needs a client. */
function isForClient({ http, preset, scope, hook }: InitRequest): boolean {
  return [http, preset, scope].some((said) => said !== undefined) || hook === true;
}

const SCOPES: Readonly<Record<Scope, string>> = { project: 'this folder', user: 'this user, in every folder' };

/** Does not ask if the client has only one scope. */
export async function askScope(prompts: Prompts, { title, scopes }: Client): Promise<Scope> {
  if (scopes.length === 1) return scopes[0];
  const options = scopes.map((scope) => ({ value: scope, label: scope, hint: SCOPES[scope] }));
  return answered(prompts, await prompts.select({ message: `Which configuration of ${title}?`, options }));
}

export interface AskedPosture {
  readonly name: PostureName;
  readonly probes: readonly BackendProbe[];
}

const LABELS: Readonly<Record<PostureName, string>> = {
  sandboxed: 'sandboxed: commands and file tools run in a sandbox',
  judged: 'judged: commands that a rule allows run, all others ask you',
  open: 'open: commands run on this machine and are NOT judged',
};

const KEEP = 'keep';

/** Shows the probe results, then asks. Undefined keeps the settings. */
export async function askPosture(
  prompts: Prompts,
  given: PostureName | undefined,
  folder: string,
): Promise<AskedPosture | undefined> {
  if (given !== undefined && given !== 'sandboxed') return { name: given, probes: [] };
  const probes = await unlessInterrupted(() => probeBackendsFor(folder));
  const works = probes.at(-1)?.probe.ok === true;
  await showProbes(prompts, probes, folder);
  if (given !== undefined) return { name: given, probes };
  const current = await currentPosture(probes, folder);
  // The recommended posture comes first: sandboxed only if the probe found a working backend.
  const ordered = works ? POSTURES : POSTURES.toSorted((a, b) => Number(a === 'sandboxed') - Number(b === 'sandboxed'));
  const options = ordered.map((name) => ({
    value: name,
    label: name === 'sandboxed' && !works ? `${LABELS[name]} (unavailable here)` : LABELS[name],
    disabled: name === 'sandboxed' && !works,
    hint: hintOf(name, works, current),
  }));
  const { commands } = await postureReport(folder, { agent: agentName() });
  const keep = current === undefined ? [{ value: KEEP, label: `keep: ${visibleLine(commands)}` }] : [];
  const chosen = answered(
    prompts,
    await prompts.select({
      message: 'How do commands of agents run? (for all projects of this user)',
      options: [...options, ...keep],
      initialValue: current === undefined ? KEEP : current !== 'open' ? current : works ? 'sandboxed' : 'judged',
    }),
  );
  const name = POSTURES.find((posture) => posture === chosen);
  return name === undefined ? undefined : { name, probes };
}

function hintOf(name: PostureName, works: boolean, current: PostureName | undefined): string {
  const recommended = name === (works ? 'sandboxed' : 'judged') ? 'recommended' : '';
  return [recommended, name === current ? 'current' : ''].filter((part) => part !== '').join(', ');
}

/** The posture that the current settings describe exactly. */
async function currentPosture(probes: readonly BackendProbe[], folder: string): Promise<PostureName | undefined> {
  const { kind } = await postureReport(folder, { agent: agentName() });
  const name = POSTURES.find((posture) => posture === kind);
  if (name === undefined || (name === 'sandboxed' && probes.at(-1)?.probe.ok !== true)) return undefined;
  const { file } = await planSettings(postureChoice(name, probes), folder);
  return file.action === 'none' ? name : undefined;
}

/** Prints whether a sandbox works here, and what commands cannot do in it. */
async function showProbes(prompts: Prompts, probes: readonly BackendProbe[], folder: string): Promise<void> {
  const last = probes.at(-1);
  if (last?.probe.ok === true) {
    const { promises, version } = last.probe;
    const passed = promises.filter(({ holds }) => holds).length;
    const works = `sandbox: ${last.backend} ${version} works here, ${passed} of ${promises.length} isolation checks passed`;
    prompts.log.info(inLines([works, limitsText(await sandboxSettingsFor(folder))]));
    return;
  }
  const [first] = probes;
  const problem = first?.probe.ok === false ? first.probe : NOT_BUILT;
  prompts.log.warn(inLines([`sandbox: no backend works here: ${problem.message}`, problem.hint]));
}

/** Does not ask if the client has no hooks. */
export async function askHook(prompts: Prompts, client: Client, posture: PostureName | undefined): Promise<boolean> {
  if (client.hooks === undefined) return false;
  const { unattended } = await HOOK_CLIENTS[client.name]!();
  const remarks = [
    ...(posture === 'sandboxed' ? ['not in the sandbox'] : []),
    `commands without a rule ${unattended === undefined ? 'will ask' : 'will be denied'}`,
  ];
  return confirmed(prompts, `Check ${client.title}'s own tools too? (${remarks.join('; ')})`, posture !== 'open');
}
