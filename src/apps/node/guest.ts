/**
 * A request of a gateway in the terms of this node. The node decides: the values of the gateway choose what runs, and can only
 * make the rules of this machine stricter.
 */
import { isAbsolute } from 'node:path';
import { Fault, type FaultCode } from '../../base/fault.ts';
import { merge } from '../../config/schema/merge.ts';
import type { OwnNodeSettings } from '../../config/server-settings.ts';
import { environmentRefused } from '../../hosts/gateway/environment-refused.ts';
import { environmentOf } from '../../policy/environment.ts';
import type { NodeAnswers } from '../../wire/approval.ts';
import type { Caller, ExecContext, ExecRequest } from '../../wire/exec.ts';
import type { NodeMethods } from '../../wire/nodes/methods.ts';
import type { SessionInfo } from '../../wire/session.ts';

export type GuestStart = NodeMethods['exec.start']['params'];

/** What this node sets for every request of a gateway. */
export interface NodeTerms {
  readonly exec: 'off' | 'judged';
  /** Commands run in a sandbox, or not at all. */
  readonly sandbox: boolean;
  readonly files: 'none' | 'ro' | 'rw';
  readonly answers: NodeAnswers;
  /** Commands start here, and its configuration applies. */
  readonly workspace: string;
  readonly workspaceFrom: OwnNodeSettings['workspaceFrom'];
  readonly environment: Readonly<Record<string, string>>;
  /** PATH of the commands of this node. */
  readonly path: string;
  /** Folders that a gateway may put before PATH without an approval for each command. */
  readonly pathPrefixes: readonly string[];
  readonly platform: NodeJS.Platform;
  /** A person on this node has compared the digits of the pairing, or it was paired with an invitation. */
  readonly confirmed: boolean;
}

/** While the digits of the pairing are not confirmed on this node, any machine could be the gateway. */
export function restricted<T extends Pick<NodeTerms, 'exec' | 'sandbox' | 'files' | 'answers' | 'confirmed'>>(
  terms: T,
): T {
  if (terms.confirmed) return terms;
  // No person is asked about a command in a sandbox, so no person on this node could compare what runs.
  return { ...terms, files: 'none', answers: 'none', ...(terms.sandbox ? { exec: 'off' } : {}) };
}

export interface GuestRequest {
  readonly request: ExecRequest;
  readonly context: ExecContext;
  readonly warnings: readonly string[];
}

/** The client name of everything that a gateway starts. */
const GATEWAY_CLIENT = 'gateway';

/** The gateway sends the notices about the end of its sessions. */
const WITHOUT_NOTICES = { tools: { exec: { notifyOnExit: false } } };

const NOT_CONFIRMED =
  'each command needs an answer on the node until a person runs pincer node confirm there with the digits of the gateway';

/** Takes the named members only, so that a later member of a request has no effect here before it was considered. */
export function guestRequest(start: Omit<GuestStart, 'key'>, gateway: string, own: NodeTerms): GuestRequest {
  const { command, workdir, env, timeout, pty, security, ask, elevated } = start.request;
  if (own.sandbox) checkForSandbox(own, ask);
  if (own.exec === 'off')
    throw new Fault('NODE_CANNOT', 'this node runs no commands: its setting node.exec is off', {
      hint: 'the operator of the node can set node.exec to judged',
    });
  checkVariables(env);
  const warnings: string[] = [];
  if (!own.confirmed) warnings.push(NOT_CONFIRMED);
  if (elevated === true) warnings.push('elevated has no effect: a node never runs commands of a gateway elevated');
  const folders = own.sandbox ? withoutFolders(start.path, own, warnings) : prependedFolders(start.path, own, warnings);
  const unlistedFolders = folders.filter((folder) => !own.pathPrefixes.includes(folder));
  const { restrictions, streams, stdin, size, attached } = start;
  return {
    request: {
      command,
      // `gateway` is this machine, where every command is judged.
      host: own.sandbox ? 'sandbox' : 'gateway',
      // It outlives the call: the gateway waits for its end, also after a break of the link.
      ...(attached === true ? {} : { background: true }),
      ...(workdir === undefined ? {} : { workdir }),
      ...(env === undefined ? {} : { env }),
      ...(timeout === undefined ? {} : { timeout }),
      ...(pty === undefined ? {} : { pty }),
      ...(security === undefined ? {} : { security }),
      ...(own.sandbox ? {} : own.confirmed ? (ask === undefined ? {} : { ask }) : { ask: 'always' }),
    },
    context: {
      caller: guestCaller(start.caller, gateway),
      folder: own.workspace,
      environment: own.environment,
      ...(folders.length === 0 ? {} : { pathPrepend: folders }),
      ...(unlistedFolders.length === 0 ? {} : { unlistedFolders }),
      ...(own.confirmed ? {} : { personOnly: true as const }),
      ...(own.sandbox ? { guestSandbox: true as const } : {}),
      restrictions: merge(restrictions ?? {}, WITHOUT_NOTICES) as NonNullable<ExecContext['restrictions']>,
      ...(streams === undefined ? {} : { streams }),
      ...(stdin === undefined ? {} : { stdin }),
      ...(size === undefined ? {} : { size }),
      ...(attached === undefined ? { followed: true } : { attached }),
    },
    warnings,
  };
}

/** Input is a command to a shell: a session from before the change of a setting gets none where its command could not start now. */
export function checkInput(session: Pick<SessionInfo, 'sandbox'>, { exec, sandbox }: NodeTerms): void {
  if (sandbox && session.sandbox !== true)
    throw new Fault(
      'NODE_CANNOT',
      'this node sends no input to a command that runs outside of a sandbox: node.sandbox is true',
      {
        hint: 'end the session with pincer kill and run its command again; or the operator of the node sets node.sandbox to false',
      },
    );
  if (exec === 'off')
    throw new Fault('NODE_CANNOT', 'this node sends no input to commands of its gateway: node.exec is off', {
      hint: 'end the session with pincer kill; or the operator of the node sets node.exec to judged',
    });
}

/** No person is asked about a command in a sandbox, so a command that requires an answer cannot run there. */
function checkForSandbox({ confirmed }: NodeTerms, ask: ExecRequest['ask']): void {
  if (!confirmed)
    throw new Fault('NODE_CANNOT', 'this node runs no commands yet: its pairing is not confirmed there', {
      hint: 'run pincer node confirm on the node, with the digits that pincer nodes approve printed',
    });
  if (ask === 'always')
    throw new Fault(
      'NODE_CANNOT',
      'the gateway requires an answer to each command (ask=always), and this node asks no person',
      {
        hint: 'set tools.exec.ask of the gateway to on-miss; commands run in a sandbox of the node (node.sandbox)',
      },
    );
}

/** The faults of a sandbox that cannot be created; with others, a sandbox exists, or the request is wrong. */
const NOT_CREATED: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'SANDBOX_BIND_REFUSED',
  'SANDBOX_GUARDS_TOO_MANY',
  'SANDBOX_IMAGE_MISSING',
  'SANDBOX_LIMIT_UNENFORCEABLE',
  'SANDBOX_NETWORK_PATTERN',
  'SANDBOX_OFF',
  'SANDBOX_PROVISIONS',
  'SANDBOX_SETUP_FAILED',
  'SANDBOX_UNAVAILABLE',
  'SANDBOX_UNSUPPORTED',
  'SANDBOX_USER_REFUSED',
  'SANDBOX_WORKSPACE_REFUSED',
]);

/** A command of a gateway never runs outside of a sandbox instead. Other faults are returned as they are. */
export function noSandbox(error: unknown): unknown {
  if (!(error instanceof Fault) || !NOT_CREATED.has(error.code)) return error;
  return new Fault(
    'NODE_CANNOT',
    `this node runs commands only in a sandbox, and cannot create one: ${error.message}`,
    {
      hint: `on the node: ${error.hint ?? 'pincer sandbox explain'}; or its operator sets node.sandbox to false`,
      cause: error,
    },
  );
}

/** The name under which this node knows an agent of a gateway: the approvals file and `agents.list` can contain it. */
export function guestCaller({ agent, conversation }: GuestStart['caller'], gateway: string): Caller {
  if (agent === '' || agent === '*')
    throw new Fault('EXEC_AGENT_INVALID', `${JSON.stringify(agent)} is not a valid agent name`, {
      hint: 'choose a short name, such as main',
    });
  return {
    agent: guestName(gateway, agent),
    client: GATEWAY_CLIENT,
    ...(conversation === undefined ? {} : { conversation: guestName(gateway, conversation) }),
  };
}

/** Whether an agent of this gateway started the session. Ids of gateways have one length, so no id is the start of another. */
export function isGuestOf(agent: string, gateway: string): boolean {
  return agent.startsWith(guestName(gateway, ''));
}

/** The name under which this node knows an agent or a conversation of a gateway. */
export function guestName(gateway: string, name: string): string {
  return `${gateway}/${name}`;
}

/** The gateway checks them, too; this machine trusts only its own list. */
function checkVariables(env: ExecRequest['env']): void {
  const { refused } = environmentOf({ inherited: {}, overrides: env ?? {} });
  if (refused.length > 0) throw environmentRefused(refused);
}

/** A sandbox has its own PATH. */
function withoutFolders(path: string | undefined, own: NodeTerms, warnings: string[]): readonly string[] {
  if (path !== undefined && path !== own.path)
    warnings.push('tools.exec.pathPrepend has no effect: the command runs in a sandbox of the node');
  return [];
}

/** The folders that the operator of the gateway puts before the PATH of this node. macOS resets PATH, so they are dropped there. */
function prependedFolders(path: string | undefined, own: NodeTerms, warnings: string[]): readonly string[] {
  if (path === undefined || path === own.path) return [];
  if (own.platform === 'darwin') {
    warnings.push('tools.exec.pathPrepend has no effect: a node on macOS uses its own PATH');
    return [];
  }
  const end = `:${own.path}`;
  if (!path.endsWith(end)) throw pathRefused('it does not end with the PATH of the node');
  const folders = path.slice(0, -end.length).split(':');
  if (!folders.every((folder) => isAbsolute(folder) && !folder.includes('\0')))
    throw pathRefused('a folder before the PATH of the node is not an absolute path');
  return folders;
}

function pathRefused(why: string): Fault {
  return new Fault('NODE_PATH_REFUSED', `the node refuses the PATH of the gateway: ${why}`, {
    hint: 'set tools.exec.pathPrepend of the gateway to absolute folders of the node, or remove it',
  });
}
