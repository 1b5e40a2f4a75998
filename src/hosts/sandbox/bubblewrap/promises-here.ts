/** What bubblewrap holds on this machine: limits need control groups, and a gateway that is root keeps more than others. */
import { Fault } from '../../../base/fault.ts';
import type { SandboxLimits, SandboxPromise } from '../../../wire/sandbox.ts';
import { planLimits } from '../limits.ts';
import type { Programs } from '../probe.ts';
import { promisesOf, type PromiseId } from '../probe/promises.ts';
import { gatewayUser } from './sandbox-user.ts';

const MIB = 1024 * 1024;

const ASKED: readonly (readonly [PromiseId, Partial<SandboxLimits>])[] = [
  ['fork-bomb', { pids: 100 }],
  ['memory-bomb', { memoryBytes: 256 * MIB }],
  ['file-size', { fileBytes: MIB }],
];

const AS_ROOT =
  'the gateway runs as root: in a writable workspace that root owns, commands write as root, seen as 1000 inside, without its rights';

/** The promises, with what limits them here. */
export async function promisesHere(programs: Programs): Promise<readonly SandboxPromise[]> {
  const isRoot = gatewayUser().uid === 0;
  const lacks: Partial<Record<PromiseId, string>> = {};
  for (const [id, limits] of ASKED) {
    const reason = await lackOf(limits, isRoot, programs);
    if (reason !== undefined) lacks[id] = reason;
  }
  const promises = promisesOf('bubblewrap', lacks);
  return isRoot
    ? promises.map((promise) => (promise.id === 'host-secrets' ? { ...promise, reason: AS_ROOT } : promise))
    : promises;
}

async function lackOf(
  limits: Partial<SandboxLimits>,
  isRoot: boolean,
  programs: Programs,
): Promise<string | undefined> {
  try {
    const plan = planLimits({ id: 'probe', limits: { tmpBytes: MIB, ...limits }, isRoot, programs });
    await plan.remove();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return `${error.message}; the default is left out, and a limit that is set is an error`;
    throw error;
  }
}
