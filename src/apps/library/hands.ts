/** What createTools and every adapter stand on: the tools of one agent, and what policy says of a command before it runs. */
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
import { runningOf } from '../running.ts';
import { type AskPerson, settled } from './asking.ts';

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

/** What a program says about the tools of one agent. */
export interface HandsOptions extends ToolboxOptions {
  /** Where commands run that do not say it; one where less is judged cannot be chosen by a call then. */
  readonly host?: HostName;
  /** Puts commands that need a person to one, while the call waits. */
  readonly approve?: AskPerson;
}

export interface HandsCall extends CallOptions {
  readonly toolCallId?: string;
  /** Asked instead of the program's own `approve`. */
  readonly approve?: AskPerson;
  /** Waits for the end of a command, however long that takes, for shapes that know no commands in the background. */
  readonly toEnd?: true;
}

/** The tools of one agent. */
export interface Hands {
  readonly toolbox: Toolbox;
  /** What is on offer. */
  readonly tools: readonly Tool[];
  /** Parameters with canonical names that fit the schema; throws a Fault where they do not. */
  prepare(tool: Tool, args: unknown): Readonly<Record<string, unknown>>;
  /** Calls a tool, and asks a person where one is needed and can be asked. */
  call(name: string, args: unknown, options?: HandsCall): Promise<ToolResult>;
  /** What policy says of a command, without starting it; undefined where the question itself makes no sense. */
  judge(args: unknown): Promise<Judgement | undefined>;
}

/** Puts the tools of one agent together; nothing is connected or started before the first call that needs it. */
export function handsOf({ host, approve: usual, ...options }: HandsOptions): Hands {
  const running = runningOf(options);
  const gateway = () => running.gateway();
  // One connection for what is called and what is judged.
  const toolbox = assembleTools({ ...options, gateway });
  const folder = realpathSync(options.workspace);
  // Without the tool `process` commands run to their end.
  const waiting = once(async () => assembleTools({ ...options, gateway, tools: withoutProcess(options) }));
  const tools = TOOLS.filter(({ name }) => toolbox.names.includes(name));

  const prepare: Hands['prepare'] = (tool, args) => {
    if (typeof args !== 'object' || args === null || Array.isArray(args))
      throw new Fault('PARAM_INVALID', `${tool.name}: the parameters must be an object`);
    const sent = args as Readonly<Record<string, unknown>>;
    return readParams(tool.name, tool.input, tool.aliases ?? [], tool.prepare?.(sent) ?? sent);
  };

  return {
    toolbox,
    tools,
    prepare,
    async call(name, args, { toolCallId = '', approve = usual, toEnd, ...callOptions } = {}) {
      const box = toEnd === true ? await waiting() : toolbox;
      const placed = name === 'exec' ? onHost(args, host) : args;
      if (placed instanceof Fault) return faultResult(placed);
      const result = await box.call(name, placed, callOptions);
      return settled(box, result, { ...callOptions, tool: name, toolCallId, approve });
    },
    async judge(args) {
      try {
        const placed = onHost(prepare(execTool, args), host);
        if (placed instanceof Fault) return undefined;
        const { caller, environment, restrictions } = running;
        const context = { caller, environment, folder, ...(restrictions === undefined ? {} : { restrictions }) };
        const request = placed as ExecRequest;
        return (await (await gateway()).call('policy.explain', { request, context })).judgement;
      } catch (error) {
        // The call itself will say it, with all its words.
        if (error instanceof Fault) return undefined;
        throw error;
      }
    },
  };
}

function withoutProcess({ tools = {} }: ToolboxOptions): ToolPolicy {
  return { ...tools, deny: [...(tools.deny ?? []), 'process'] };
}

/** Where a command runs, as the program said; a call may choose another place, but none where nothing is judged. */
function onHost(args: unknown, host: HostName | undefined): unknown {
  if (host === undefined || typeof args !== 'object' || args === null || Array.isArray(args)) return args;
  const chosen = (args as { readonly host?: unknown }).host ?? host;
  if (chosen === 'sandbox' && host !== 'sandbox')
    return new Fault(
      'EXEC_HOST_REFUSED',
      `host=sandbox is refused: commands run on ${host} here, where they are judged`,
      {
        hint: 'leave host out',
        details: { status: 'failed', requested: 'sandbox', configured: host },
      },
    );
  return { ...args, host: chosen };
}
