/** Collects the data of `pincer status`. Starts and changes nothing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { homeFolder } from '../../../config/state.ts';
import { type ConfigSource, layerFiles } from '../../../config/config-files.ts';
import { type Actor, actorOf } from '../../../wire/actor.ts';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import type { Posture } from '../../../wire/posture.ts';
import type { EffectivePolicy } from '../../../wire/policy.ts';
import type { DaemonStatus } from '../../../wire/methods.ts';
import type { BackendName } from '../../../wire/sandbox.ts';
import type { SessionInfo } from '../../../wire/session.ts';
import type { OwnTools } from '../../hook/own-tools.ts';
import type { PostureReport } from '../../posture.ts';
import { servingIn } from '../../serve/serving-file.ts';
import { daemonLog } from '../../daemon/pointer.ts';
import { MOST_LISTED_BYTES, operatorCaller, withGateway } from '../gateway.ts';
import type { OwnNodeStatus } from '../node/status.ts';
import { version } from '../../../../package.json';

/** A part that could not be determined, and why. */
export interface Unknown {
  readonly code: string;
  readonly problem: string;
}

/** Without a posture if the configuration cannot be read. */
export interface UnknownPolicy extends Unknown {
  readonly posture?: Omit<PostureReport, 'rules'>;
}

/** A pincer entry in the configuration of a client. */
export interface ClientEntry {
  readonly client: string;
  readonly title: string;
  readonly scope: string;
  readonly part: string;
  readonly path: string;
}

export interface Status {
  readonly version: string;
  readonly node: string;
  readonly stateDir: string;
  readonly folder: string;
  readonly agent: string;
  readonly daemon:
    | ({ readonly running: true; readonly log: string } & DaemonStatus)
    | { readonly running: false }
    | Unknown;
  readonly serve?: { readonly pid: number; readonly url: string };
  /** This machine as a node; absent where it is not paired with a gateway. */
  readonly ownNode?: OwnNodeStatus;
  /** Backend of the agent (`off` without a sandbox), why it is unavailable, and how many sandboxes run. */
  readonly sandbox:
    | { readonly backend: BackendName; readonly unavailable?: string; readonly running: number }
    | Unknown;
  readonly sessions: readonly Pick<SessionInfo, 'id' | 'command' | 'client' | 'agent' | 'startedAt'>[];
  /** The newest pending requests; `daemon.pendingApprovals` is their total number. */
  readonly approvals: readonly (Actor & {
    readonly id: string;
    readonly command: string;
    readonly expiresAt: number;
  })[];
  readonly policy:
    | (EffectivePolicy & { readonly posture: Posture; readonly remarks: readonly string[]; readonly broken?: string })
    | UnknownPolicy;
  readonly config: {
    readonly files: readonly (ConfigSource & { readonly exists: boolean })[];
    readonly problems: readonly { readonly severity: string; readonly message: string; readonly at?: string }[];
  };
  readonly clients: readonly ClientEntry[];
  /** What happens to the own tools of these clients. */
  readonly ownTools: readonly OwnTools[];
}

const MOST_APPROVALS = 20;

export async function gatherStatus(place: {
  readonly stateDir: string;
  readonly folder: string;
  readonly agent: string;
}): Promise<Status> {
  const { stateDir, folder, agent } = place;
  const [{ running, ...held }, policy, problems, { clients, ownTools }, ownNode] = await Promise.all([
    daemonState(stateDir),
    policyIn(folder, agent),
    problemsIn(folder),
    configuredClients(folder),
    ownNodeIn(stateDir),
  ]);
  const serve = servingIn(stateDir);
  return {
    version,
    node: process.versions.node,
    ...place,
    ...held,
    ...(serve === undefined ? {} : { serve }),
    ...(ownNode === undefined ? {} : { ownNode }),
    policy,
    sandbox: sandboxOf(policy, running),
    config: { files: layerFiles(folder), problems },
    clients,
    ownTools,
  };
}

async function ownNodeIn(stateDir: string): Promise<OwnNodeStatus | undefined> {
  if (!existsSync(join(stateDir, 'node.db'))) return undefined;
  try {
    const status = await (await import('../node/status.ts')).ownNodeStatus(stateDir);
    return status.gateway === undefined && !status.running ? undefined : status;
  } catch (error) {
    if (error instanceof Fault) return undefined; // pincer node status and doctor report it
    throw error;
  }
}

function sandboxOf(policy: Status['policy'], running: number): Status['sandbox'] {
  if ('problem' in policy) return { code: policy.code, problem: policy.problem };
  const { backend = 'off' as const, unavailable } = policy.posture.sandbox ?? {};
  return { backend, ...(unavailable === undefined ? {} : { unavailable }), running };
}

interface DaemonState extends Pick<Status, 'daemon' | 'sessions' | 'approvals'> {
  /** Number of sandboxes. */
  readonly running: number;
}

async function daemonState(stateDir: string): Promise<DaemonState> {
  try {
    return await withGateway(async (client) => {
      const [daemon, sessions, approvals, sandboxes] = await Promise.all([
        client.call('daemon.status', {}),
        client.call('session.list', { caller: operatorCaller() }),
        client.call('approval.list', { state: 'pending', limit: MOST_APPROVALS, maxBytes: MOST_LISTED_BYTES }),
        client.call('sandbox.list', {}),
      ]);
      return {
        daemon: { running: true as const, ...daemon, log: daemonLog(stateDir) },
        sessions: sessions.filter(({ status }) => status === 'running').map(sessionOf),
        approvals: approvals.map(approvalOf),
        running: sandboxes.length,
      };
    }, false);
  } catch (error) {
    const isNotRunning = error instanceof Fault && error.code === 'GATEWAY_NOT_RUNNING';
    const daemon = isNotRunning ? { running: false as const } : unknown(error);
    return { daemon, sessions: [], approvals: [], running: 0 };
  }
}

function sessionOf({ id, command, client, agent, startedAt }: SessionInfo): Status['sessions'][number] {
  return { id, command, ...(client === undefined ? {} : { client }), agent, startedAt };
}

function approvalOf({ slug, binding, expiresAt }: ApprovalInfo): Status['approvals'][number] {
  return { id: slug, ...actorOf(binding), command: binding.command, expiresAt };
}

async function policyIn(folder: string, agent: string): Promise<Status['policy']> {
  try {
    const { filesIn, policyIn: reportIn } = await import('../../posture.ts');
    const { posture, broken, remarks } = await reportIn(folder, { agent });
    const { effective } = posture;
    return {
      ...effective,
      posture: { ...posture, files: await filesIn(folder, { agent }, posture) },
      remarks,
      ...(broken === undefined ? {} : { broken }),
    };
  } catch (error) {
    return unknownPolicy(error, folder, agent);
  }
}

async function unknownPolicy(error: unknown, folder: string, agent: string): Promise<UnknownPolicy> {
  const { unknownPosture } = await import('../../posture.ts');
  try {
    const { rules: _, ...posture } = await unknownPosture(error, folder, { agent });
    return { ...unknown(error), posture };
  } catch (problem) {
    return unknown(problem);
  }
}

async function problemsIn(folder: string): Promise<Status['config']['problems']> {
  const { configProblems } = await import('../../../config/problems.ts');
  return (await configProblems(folder)).map(({ severity, message, ocPath, file }) => {
    const at = ocPath ?? file;
    return { severity, message, ...(at === undefined ? {} : { at }) };
  });
}

async function configuredClients(folder: string): Promise<Pick<Status, 'clients' | 'ownTools'>> {
  const [{ surveyClients }, { ownToolsOf }] = await Promise.all([
    import('../../init/survey.ts'),
    import('../../hook/own-tools.ts'),
  ]);
  const states = await surveyClients({ folder, home: homeFolder(), env: process.env });
  const clients = states.flatMap(({ name, title, files }) =>
    files
      .filter(({ entry }) => entry !== undefined)
      .map(({ scope, part, path }) => ({ client: name, title, scope, part, path })),
  );
  return { clients, ownTools: await ownToolsOf(states, folder) };
}

/** A fault replaces the part of the answer; other errors are bugs and are rethrown. */
function unknown(error: unknown): Unknown {
  if (!(error instanceof Fault)) throw error;
  return { code: error.code, problem: error.message };
}
