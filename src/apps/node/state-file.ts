/** A file with the state of a running node, for `pincer node status`. */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isAlive, type Owner, thisProcess } from '../../hosts/files/locks/owner.ts';
import { makeFolder } from '../../hosts/files/state-folder.ts';
import { writePrivate } from '../../hosts/files/write-private.ts';
import type { NodeState } from './gateway-connections.ts';
import type { NodeTerms } from './guest.ts';

/** The terms that `pincer node status` shows. */
type ShownTerm = 'workspace' | 'workspaceFrom' | 'exec' | 'sandbox' | 'files' | 'answers' | 'confirmed';

export interface AboutNode extends Pick<NodeTerms, ShownTerm> {
  readonly id: string;
  /** At the gateway; before the pairing, the one that this machine reports. */
  readonly name: string;
  readonly url: string;
  /** TLS ends at a proxy. */
  readonly proxy?: true;
  /** Why the sandbox of commands cannot be created. */
  readonly sandboxProblem?: string;
}

export interface RunningNodeState extends AboutNode {
  readonly connection: NodeState;
  /** When the connection got into this state. */
  readonly since: number;
}

/** Replaces the file atomically. */
export function writeNodeState(stateDir: string, state: RunningNodeState): void {
  const file = stateFile(stateDir);
  makeFolder(dirname(file));
  writePrivate(file, `${JSON.stringify({ ...thisProcess(), ...state })}\n`);
}

/** The state of the node that runs now; undefined if none does. */
export function readNodeState(stateDir: string): (RunningNodeState & { readonly pid: number }) | undefined {
  try {
    const found = JSON.parse(readFileSync(stateFile(stateDir), 'utf8')) as RunningNodeState & Owner;
    const { start, ...state } = found;
    return isAlive({ pid: state.pid, start }) ? state : undefined;
  } catch {
    return undefined; // there is no file, or another process has damaged it
  }
}

export function removeNodeState(stateDir: string): void {
  if (readNodeState(stateDir)?.pid === process.pid) rmSync(stateFile(stateDir), { force: true });
}

function stateFile(stateDir: string): string {
  return join(stateDir, 'node', 'state.json');
}
