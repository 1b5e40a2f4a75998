/**
 * File tools of a gateway, on the workspace of this node. They run in a process of their own, because tools are synchronous and
 * would keep all sessions waiting. The workspace is the boundary, and every change is in the record of this node.
 */
import { statSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { homeFolder } from '../../config/state.ts';
import type { Welcome } from '../../hosts/process/runner-messages.ts';
import { startRunner } from '../../hosts/process/runner-process.ts';
import { packAnswer, tooLong } from '../../runner/tools/packing.ts';
import { Tools } from '../../runner/tools/tools.ts';
import type { NodeMethods } from '../../wire/nodes/methods.ts';
import { MOST_NODE_CALL } from '../../wire/nodes/tool-call.ts';
import type { NodeTerms } from './guest.ts';
import { guestToolContext } from './guest-tool-context.ts';

export interface GuestFilesParts {
  readonly terms: () => Promise<NodeTerms>;
  /** The record of changes is here. */
  readonly stateDir: string;
  /** The built script of the runner. */
  readonly runner: string;
  /** For new files. */
  readonly umask: number;
  /** The process ends after this time without a call (default: 5 minutes). */
  readonly idleMs?: number;
}

export interface GuestFiles {
  /** The packed result. Rejects with a fault where this node does not offer the tool. */
  call(params: NodeMethods['tool.call']['params'], gateway: string, signal: AbortSignal): Promise<Uint8Array>;
  /** Resolves when the process has ended. */
  close(): Promise<void>;
}

/** The process of a workspace. */
interface Holder {
  /** The path and the folder that it named. */
  readonly identity: string;
  readonly tools: Tools;
  calls: number;
  idle?: NodeJS.Timeout;
}

const IDLE_MS = 300_000;
const GRACE_MS = 1000;

export function createGuestFiles({ terms, stateDir, runner, umask, idleMs = IDLE_MS }: GuestFilesParts): GuestFiles {
  let current: Holder | undefined;
  let isClosed = false;

  function start(workspace: string, identity: string): Holder {
    const places = { workspace, stateDir, scratch: stateDir, home: homeFolder() };
    const welcome: Welcome = { owner: 'node', graceMs: GRACE_MS, places };
    const command = [process.execPath, '--max-semi-space-size=1', runner] as const;
    const startTools = () => startRunner(command, '--tools', welcome);
    return { identity, tools: new Tools(startTools, { where: 'on the node', code: 'NODE_TOOLS_ENDED' }), calls: 0 };
  }

  /**
   * The operator may have chosen another workspace, or replaced the folder, which a process keeps open. Calls in the former one
   * still end there.
   */
  function holderFor(workspace: string): Holder {
    const former = current;
    const identity = identityOf(workspace);
    if (former?.identity === identity) return former;
    current = start(workspace, identity);
    if (former?.calls === 0) void end(former);
    return current;
  }

  function end(holder: Holder): Promise<void> {
    clearTimeout(holder.idle);
    if (current === holder) current = undefined;
    return holder.tools.end();
  }

  function ended(holder: Holder): void {
    holder.calls--;
    if (holder.calls > 0) return;
    if (current !== holder) void end(holder);
    else holder.idle = setTimeout(() => void end(holder), idleMs).unref();
  }

  return {
    async call({ tool, args, caller, settings = {} }, gateway, signal) {
      const own = await terms();
      const context = await guestToolContext({ tool, caller, settings }, gateway, own);
      if (isClosed) throw new Fault('NODE_CANNOT', 'this node stops', { hint: 'try again when it is connected again' });
      const holder = holderFor(own.workspace);
      clearTimeout(holder.idle);
      holder.calls++;
      try {
        const packed = await holder.tools.call({ tool, args, context: { ...context, umask } }, signal);
        return packed.length <= MOST_NODE_CALL ? packed : packAnswer(tooLong(packed.length));
      } finally {
        ended(holder);
      }
    },
    async close() {
      isClosed = true;
      if (current !== undefined) await end(current);
    },
  };
}

function identityOf(workspace: string): string {
  const status = statSync(workspace, { throwIfNoEntry: false, bigint: true });
  if (status?.isDirectory() !== true)
    throw new Fault('FS_NOT_FOUND', `the workspace of the node is not a folder: ${workspace}`, {
      hint: 'the operator of the node can create it, or choose another one with node.workspace',
    });
  return JSON.stringify([workspace, String(status.dev), String(status.ino)]);
}
