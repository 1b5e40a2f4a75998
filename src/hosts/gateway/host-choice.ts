import { Fault } from '../../base/fault.ts';
import type { ExecRequest, HostName } from '../../wire/exec.ts';
import type { EffectivePolicy } from '../../wire/policy.ts';

export interface Choice {
  readonly host: HostName;
  /** It runs in a sandbox, unless it is elevated. */
  readonly sandboxed: boolean;
  readonly warnings: readonly string[];
}

/**
 * The host of a request. A call may choose a host that is judged more strictly than the configured one, never less strictly.
 */
export function chooseHost(request: ExecRequest, effective: EffectivePolicy, isSandboxed: boolean): Choice {
  const host = request.host ?? effective.host;
  if (host !== effective.host && host === 'sandbox')
    throw new Fault(
      'EXEC_HOST_REFUSED',
      `host=sandbox is refused: commands run on ${effective.host} here, where they are judged`,
      {
        hint: 'leave host out; an authorised person can change it with /exec host=sandbox',
        details: { requested: host, configured: effective.host },
      },
    );
  if (host === 'node') throw noNode(request.node ?? effective.node);
  if (request.node !== undefined)
    throw new Fault(
      'EXEC_NODE_REFUSED',
      `node=${JSON.stringify(request.node)} is refused: the command would run on host=${host}`,
      {
        hint: 'leave node out, or give host=node as well',
      },
    );
  const sandboxed = isSandboxed && host === 'sandbox';
  if (sandboxed || request.elevated !== true) return { host, sandboxed, warnings: [] };
  const why = isSandboxed ? 'the command runs' : 'sandboxing is off, and commands run';
  return { host, sandboxed, warnings: [`elevated has no effect: ${why} on this machine already`] };
}

function noNode(node: string | undefined): Fault {
  const named = node === undefined ? '' : ` ${JSON.stringify(node)}`;
  return new Fault('NODE_NONE_PAIRED', `there is no paired node${named} to run on`, {
    hint: 'run on this machine with host=gateway, or pair a node first',
  });
}
