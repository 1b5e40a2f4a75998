import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { Fault } from '../../base/fault.ts';
import { faultResult } from '../../tools/call.ts';
import type { ToolResult } from '../../wire/tool.ts';
import { CATALOGUE } from '../catalogue.ts';
import { askInClient, resumeCall } from './ask-in-client.ts';
import type { Call, Calls } from './call-context.ts';
import { clientOf } from './client.ts';
import { capWait } from './client-timeout.ts';
import type { McpOptions } from './options.ts';
import { fromPreset } from './presets/accept.ts';
import { progressOf } from './progress.ts';
import { refuseChanging } from './read-only.ts';
import { callResult } from './results.ts';
import type { AskedState } from './state.ts';

/** Handles `tools/call`. */
export function callHandler(calls: Calls) {
  return async ({ params }: CallToolRequest, request: ServerContext): Promise<CallToolResult | InputRequiredResult> => {
    const tool = ownName(params.name);
    const { signal, release } = signalOf(tool, request, calls.options);
    try {
      return await calls.limits.schedule(tool, signal, async () => {
        await calls.options.flowing?.();
        const result = await asResult(() => answerTo({ tool, sent: params.arguments ?? {}, signal, request }, calls));
        if (isInputRequiredResult(result)) return result;
        refuseUnknown(params.name, result);
        calls.sessions.note(tool, result);
        return callResult(tool, result);
      });
    } finally {
      release();
    }
  };
}

/** A Fault becomes a result with `isError`; other errors are protocol errors or defects. */
async function asResult<T>(work: () => Promise<T>): Promise<T | ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return faultResult(error);
  }
}

interface ToolRequest extends Pick<Call, 'tool' | 'signal' | 'request'> {
  /** The parameters in the names of the client's preset. */
  readonly sent: Readonly<Record<string, unknown>>;
}

async function answerTo({ sent, ...received }: ToolRequest, calls: Calls): Promise<ToolResult | InputRequiredResult> {
  const { tool, signal, request } = received;
  const { server, options } = calls;
  const progress = progressOf(request, options.log);
  try {
    const client = clientOf(server, request);
    const toolbox = await options.toolbox(client, 'lately');
    const args = capWait(tool, fromPreset(tool, sent, options.preset), progress !== undefined);
    if (options.setting.readOnly === true && isKnown(tool)) refuseChanging(tool, args);
    const call: Call = { ...calls, ...received, client, toolbox, args, yieldMs: waitOf(args), progress };
    const state = request.mcpReq.requestState<AskedState>();
    if (state !== undefined) return await resumeCall(state, call);
    const onUpdate = progress === undefined ? {} : { onUpdate: (partial: ToolResult) => progress.update(partial) };
    return await askInClient(await toolbox.call(tool, args, { signal, ...onUpdate }), call);
  } finally {
    progress?.stop();
  }
}

function waitOf(args: Readonly<Record<string, unknown>>): number | undefined {
  const wait = args['yieldMs'] ?? args['yield_ms'];
  return typeof wait === 'number' ? wait : undefined;
}

/** Commands end when the client has disconnected, even if answers could still be sent. */
function signalOf(tool: string, { mcpReq }: ServerContext, { leaving }: McpOptions) {
  if (leaving === undefined || (tool !== 'exec' && tool !== 'process'))
    return { signal: mcpReq.signal, release: () => undefined };
  const either = new AbortController();
  const sources = [mcpReq.signal, leaving];
  const abort = (): void => either.abort();
  for (const source of sources) source.addEventListener('abort', abort, { once: true });
  if (sources.some(({ aborted }) => aborted)) abort();
  return {
    signal: either.signal,
    release: () => {
      for (const source of sources) source.removeEventListener('abort', abort);
    },
  };
}

function isKnown(tool: string): boolean {
  return CATALOGUE.some(({ name }) => name === tool);
}

function ownName(name: string): string {
  return CATALOGUE.find((entry) => entry.name === name || entry.alsoCalled.includes(name))?.name ?? name;
}

/** The protocol has its own error for an unknown tool. */
function refuseUnknown(name: string, { details, content }: ToolResult): void {
  if (details['code'] !== 'TOOL_UNKNOWN') return;
  const [first] = content;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`, {
    code: 'TOOL_UNKNOWN',
    ...(first?.type === 'text' ? { message: first.text } : {}),
  });
}
