/** What a file tool of a gateway may do on this node. The configuration of this node decides; the gateway can only restrict it. */
import { Fault } from '../../base/fault.ts';
import { loadExecSettings } from '../../config/load-exec-settings.ts';
import { accesses, staleChecks } from '../../config/tighten/strictness.ts';
import { isSandboxed } from '../../hosts/sandbox/owner.ts';
import { clientName } from '../../wire/client-name.ts';
import type { Caller } from '../../wire/exec.ts';
import type { NodeMethods } from '../../wire/nodes/methods.ts';
import type { ToolCallContext } from '../../wire/tool.ts';
import { offeredTool } from '../assemble.ts';
import { configuredToolbox } from '../configured-toolbox.ts';
import { guestCaller, guestName, type NodeTerms } from './guest.ts';

type Access = NodeTerms['files'];
type Params = NodeMethods['tool.call']['params'];
type GuestToolCall = Pick<Params, 'tool' | 'caller'> & { readonly settings: NonNullable<Params['settings']> };

/** Throws a fault where this node does not offer the tool to the agent. */
export async function guestToolContext(
  { tool, caller, settings }: GuestToolCall,
  gateway: string,
  { files, workspace, confirmed, sandbox }: Pick<NodeTerms, 'files' | 'workspace' | 'confirmed' | 'sandbox'>,
): Promise<ToolCallContext> {
  if (!confirmed)
    throw new Fault('NODE_CANNOT', 'this node offers no files yet: its pairing is not confirmed there', {
      hint: 'run pincer node confirm on the node, with the digits that pincer nodes approve printed',
    });
  if (files === 'none')
    throw new Fault('NODE_CANNOT', 'this node offers no files: its setting node.files is none', {
      hint: 'the operator of the node can set node.files to ro or rw, or name a workspace with node run --workspace',
    });
  const { client, agent, conversation } = guestAuthor(caller, gateway);
  const whose = { agent, client, ...(conversation === undefined ? {} : { conversation }) };
  const options = await configuredToolbox({ workspace, ...whose, asks: 'agent', allowUndo: true });
  // The gateway knows the model and decides by it; here only `enabled: false` counts.
  offeredTool(tool, { ...options, applyPatch: { ...options.applyPatch, byName: true } });
  const access = strictest(files, await sandboxAccess(workspace, whose, sandbox));
  if (access === 'none')
    throw new Fault('NODE_CANNOT', 'this node gives agents a private workspace: sandbox.workspaceAccess is none', {
      hint: 'the operator of the node can set sandbox.workspaceAccess to ro or rw',
    });
  const { staleCheck: own = 'advise', secrets } = options;
  const { staleCheck = own, hide = [], modelContextWindowTokens } = settings;
  return {
    ...whose,
    workspaceOnly: true,
    staleCheck: staleChecks.isTighterOrEqual(staleCheck, own) ? staleCheck : own,
    secrets: { ...secrets, hide: [...(secrets?.hide ?? []), ...hide] },
    ...(modelContextWindowTokens === undefined ? {} : { modelContextWindowTokens }),
    ...(access === 'ro' ? { readOnly: true as const } : {}),
    ...(caller.operator === true ? { agentPrefix: guestName(gateway, '') } : {}),
  };
}

/** The name of an agent of a gateway in the record of this node. */
function guestAuthor(caller: Params['caller'], gateway: string): Caller & { readonly client: string } {
  const { client: reported, operator: _, ...rest } = caller;
  const { client: prefix = '', ...guest } = guestCaller(rest, gateway);
  return { ...guest, client: reported === undefined ? prefix : clientName(`${prefix}/${reported}`, prefix) };
}

/** Where agents of this node, or commands of the gateway, work in a sandbox, tools get no more of the workspace than the sandbox has. */
async function sandboxAccess(folder: string, caller: Caller, isForGuests: boolean): Promise<Access> {
  const { sandbox } = await loadExecSettings({ folder, agent: caller.agent, includeEnvironment: true });
  return isForGuests || isSandboxed(sandbox, caller) ? sandbox.workspaceAccess : 'rw';
}

function strictest(one: Access, other: Access): Access {
  return accesses.isTighterOrEqual(one, other) ? one : other;
}
