/** The tools of one agent, with approvals and judgements: the base of `createTools` and all adapters. */
import { realpathSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { applyPatchTool } from '../../tools/apply-patch.ts';
import { faultResult } from '../../tools/call.ts';
import { changesTool } from '../../tools/changes.ts';
import { editTool } from '../../tools/edit.ts';
import { execTool } from '../../tools/exec.ts';
import { readParams } from '../../tools/params.ts';
import { pathTool } from '../../tools/path.ts';
import { processTool } from '../../tools/process.ts';
import { readTool } from '../../tools/read.ts';
import type { Tool } from '../../tools/tool.ts';
import type { ToolResult } from '../../wire/tool.ts';
import { writeTool } from '../../tools/write.ts';
import type { ExecRequest, HostName } from '../../wire/exec.ts';
import type { Judgement } from '../../wire/policy.ts';
import { assembleTools, type CallOptions, type Toolbox, type ToolboxOptions, type ToolPolicy } from '../assemble.ts';
import { once } from '../once.ts';
import { runningContext } from '../running-context.ts';
import { type AskPerson, settleApproval } from './ask-person.ts';

const TOOLS: readonly Tool[] = [
  readTool,
  writeTool,
  editTool,
  applyPatchTool,
  execTool,
  processTool,
  pathTool,
  changesTool,
];

export interface AgentToolboxOptions extends ToolboxOptions {
  /** The default host of commands. A call cannot choose a host where commands are not judged. */
  readonly host?: HostName;
  /** Asks a person about commands that need approval, while the call waits. */
  readonly approve?: AskPerson;
}

export interface AgentToolCall extends Omit<CallOptions, 'onlyRunning'> {
  readonly toolCallId?: string;
  /** Overrides `approve` of the options. */
  readonly approve?: AskPerson;
  /** Waits until the command ends, for SDKs without background commands. */
  readonly toEnd?: true;
}

export interface AgentToolbox {
  readonly toolbox: Toolbox;
  /** The offered tools. */
  readonly tools: readonly Tool[];
  /** Resolves aliases and checks the parameters; throws a Fault if they do not match the schema. */
  prepare(tool: Tool, args: unknown): Readonly<Record<string, unknown>>;
  /** Calls a tool, and asks a person if the command needs approval. */
  call(name: string, args: unknown, options?: AgentToolCall): Promise<ToolResult>;
  /** Judges a command without starting it; undefined if the call itself will fail. */
  judge(args: unknown): Promise<Judgement | undefined>;
}

/** Connects to no daemon before the first call that needs it. */
export function agentToolbox({ host, approve: defaultApprove, ...options }: AgentToolboxOptions): AgentToolbox {
  const running = runningContext(options);
  const gateway = () => running.gateway();
  // Calls and judgements share one connection.
  const toolbox = assembleTools({ ...options, gateway });
  const folder = realpathSync(options.workspace);
  // Without the tool `process`, a call waits until its command ends.
  const waiting = once(async () => assembleTools({ ...options, gateway, tools: withoutProcess(options) }));
  const tools = TOOLS.filter(({ name }) => toolbox.names.includes(name));

  const prepare: AgentToolbox['prepare'] = (tool, args) => {
    if (typeof args !== 'object' || args === null || Array.isArray(args))
      throw new Fault('PARAM_INVALID', `${tool.name}: the parameters must be an object`);
    const sent = args as Readonly<Record<string, unknown>>;
    return readParams(tool.name, tool.input, tool.aliases ?? [], tool.prepare?.(sent) ?? sent);
  };

  return {
    toolbox,
    tools,
    prepare,
    async call(name, args, { toolCallId = '', approve = defaultApprove, toEnd, ...callOptions } = {}) {
      const box = toEnd === true ? await waiting() : toolbox;
      const placed = name === 'exec' ? withHost(args, host) : args;
      if (placed instanceof Fault) return faultResult(placed);
      const result = await box.call(name, placed, callOptions);
      return settleApproval(box, result, { ...callOptions, tool: name, toolCallId, approve });
    },
    async judge(args) {
      try {
        const placed = withHost(prepare(execTool, args), host);
        if (placed instanceof Fault) return undefined;
        const { caller, environment, restrictions } = running;
        const context = { caller, environment, folder, ...(restrictions === undefined ? {} : { restrictions }) };
        const request = placed as ExecRequest;
        return (await (await gateway()).call('policy.explain', { request, context })).judgement;
      } catch (error) {
        // The call itself reports the fault.
        if (error instanceof Fault) return undefined;
        throw error;
      }
    },
  };
}

function withoutProcess({ tools = {} }: ToolboxOptions): ToolPolicy {
  return { ...tools, deny: [...(tools.deny ?? []), 'process'] };
}

/** Adds the program's host to the parameters. A call may choose another one, but none where commands are not judged. */
function withHost(args: unknown, host: HostName | undefined): unknown {
  if (host === undefined || typeof args !== 'object' || args === null || Array.isArray(args)) return args;
  const chosen = (args as { readonly host?: unknown }).host ?? host;
  if (chosen === 'sandbox' && host !== 'sandbox')
    return new Fault(
      'EXEC_HOST_REFUSED',
      `host=sandbox is refused: commands run on ${host} here, where they are judged`,
      {
        hint: 'omit host',
        details: { status: 'failed', requested: 'sandbox', configured: host },
      },
    );
  return { ...args, host: chosen };
}
