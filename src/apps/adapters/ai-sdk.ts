/** Entry point `pincer/ai-sdk`: the tools of one agent for the AI SDK (6 and 7), with approvals decided by pincer's policy. */
import { inputSchema, type Tool } from '../../tools/tool.ts';
import type { ToolResult } from '../../wire/tool.ts';
import { resultText, throwIfFailed } from '../library/agent-tool.ts';
import { type AgentToolbox, type AgentToolboxOptions, agentToolbox } from '../library/agent-toolbox.ts';
import { type StandardParams, standardParams } from '../library/schema.ts';
import { withUpdates } from '../library/updates.ts';
import { approvalAnswers } from './approval-answers.ts';

type Params = Readonly<Record<string, unknown>>;

export interface AiSdkOptions extends AgentToolboxOptions {
  /** The person who answers approval requests, for the audit log. */
  readonly by?: string;
}

/** The call options of the AI SDK. */
interface CallContext {
  readonly toolCallId: string;
  readonly messages?: readonly unknown[];
  readonly abortSignal?: AbortSignal | undefined;
}

type ModelOutput =
  | { type: 'text'; value: string }
  | {
      type: 'content';
      value: ({ type: 'text'; text: string } | { type: 'image-data'; data: string; mediaType: string })[];
    };

/** One entry of `tools`. */
export interface AiSdkTool {
  readonly description: string;
  readonly inputSchema: StandardParams;
  needsApproval?(input: Params, context: CallContext): Promise<boolean>;
  /** The result. `exec` yields its output so far as preliminary results first. */
  execute(input: Params, context: CallContext): Promise<ToolResult> | AsyncGenerator<ToolResult, void, undefined>;
  toModelOutput(options: { output: ToolResult }): ModelOutput;
}

type ApprovalStatus = { type: 'not-applicable' } | { type: 'user-approval'; reason: string };

export interface AiSdkTools {
  /** For `tools`. */
  readonly tools: Record<string, AiSdkTool>;
  /** For `toolApproval` of version 7: the same decision, with the reason for the person who answers. */
  readonly toolApproval: Record<string, (input: Params, context: CallContext) => Promise<ApprovalStatus>>;
}

/** The tools of one agent. A command that needs approval becomes a part `tool-approval-request`. */
export function aiSdkTools({ by = 'the user of the AI SDK', ...options }: AiSdkOptions): AiSdkTools {
  const agentTools = agentToolbox(options);
  const approvalOf = async (input: Params, context: CallContext): Promise<ApprovalStatus> => {
    const judgement = await agentTools.judge(input);
    if (judgement?.verdict === 'ask') return { type: 'user-approval', reason: judgement.reason };
    // The SDK asks again after the answer has arrived. Meanwhile a rule may allow the command without approval.
    if (approvedBy(context, input) !== undefined)
      return { type: 'user-approval', reason: 'approval was requested before' };
    return { type: 'not-applicable' };
  };
  const tools = agentTools.tools.map((tool) => [tool.name, sdkTool(agentTools, tool, by)] as const);
  const named: Record<string, AiSdkTool> = Object.fromEntries(tools);
  const { exec } = named;
  if (exec === undefined) return { tools: named, toolApproval: {} };
  const needsApproval = async (input: Params, context: CallContext) =>
    (await approvalOf(input, context)).type === 'user-approval';
  return { tools: { ...named, exec: { ...exec, needsApproval } }, toolApproval: { exec: approvalOf } };
}

function sdkTool(agentTools: AgentToolbox, tool: Tool, by: string): AiSdkTool {
  const answers = approvalAnswers();
  const call = async (input: Params, context: CallContext, onUpdate?: (partial: ToolResult) => void) => {
    const { toolCallId, abortSignal } = context;
    const answer = tool.name === 'exec' ? approvedBy(context, input) : undefined;
    const isApproved = answer !== undefined && answers.take(answer, input);
    const result = await agentTools.call(tool.name, input, {
      toolCallId,
      ...(abortSignal === undefined ? {} : { signal: abortSignal }),
      ...(onUpdate === undefined ? {} : { onUpdate }),
      ...(isApproved ? { approve: () => ({ decision: 'allow-once' as const, by }) } : {}),
    });
    return throwIfFailed(result);
  };
  return {
    description: tool.description,
    inputSchema: standardParams(inputSchema(tool), (args) => agentTools.prepare(tool, args)),
    execute: (input, context) =>
      tool.name === 'exec' ? withUpdates((onUpdate) => call(input, context, onUpdate)) : call(input, context),
    toModelOutput: ({ output }) => modelOutput(output),
  };
}

function modelOutput(result: ToolResult): ModelOutput {
  if (result.content.every(({ type }) => type === 'text')) return { type: 'text', value: resultText(result) };
  return {
    type: 'content',
    value: result.content.map((piece) =>
      piece.type === 'text'
        ? { type: 'text', text: piece.text }
        : { type: 'image-data', data: piece.data, mediaType: piece.mimeType },
    ),
  };
}

interface Part {
  readonly type?: unknown;
  readonly toolCallId?: unknown;
  readonly approvalId?: unknown;
  readonly approved?: unknown;
  readonly input?: unknown;
}

/**
 * The id of the approval request that a person has just granted for this call: the last message has the answer, and the
 * call before the request has the same parameters. This does not approve a second call with the same id.
 */
function approvedBy({ toolCallId, messages = [] }: CallContext, input: Params): string | undefined {
  const yes = partsOf(messages.at(-1), 'tool').filter(
    ({ type, approved }) => type === 'tool-approval-response' && approved === true,
  );
  if (yes.length === 0) return undefined;
  const parts = messages.flatMap((message) => partsOf(message, 'assistant'));
  const asked = parts.findLast(
    ({ type, ...part }) => type === 'tool-approval-request' && part.toolCallId === toolCallId,
  );
  const calls = parts.filter(({ type, ...part }) => type === 'tool-call' && part.toolCallId === toolCallId);
  if (asked === undefined || calls.length === 0 || parts.indexOf(calls[0]!) > parts.indexOf(asked)) return undefined;
  const { approvalId } = asked;
  const isAnswered = typeof approvalId === 'string' && yes.some((one) => one.approvalId === approvalId);
  const wanted = JSON.stringify(input);
  // Calls of one id with different parameters: it is unknown which of them the person saw.
  return isAnswered && calls.every((one) => JSON.stringify(one.input) === wanted) ? approvalId : undefined;
}

function partsOf(message: unknown, role: string): readonly Part[] {
  if (typeof message !== 'object' || message === null) return [];
  const { content, ...rest } = message as { readonly role?: unknown; readonly content?: unknown };
  return rest.role === role && Array.isArray(content) ? (content as readonly Part[]) : [];
}
