/**
 * Approval requests of commands: asks the person through the client if the client supports it. Otherwise, or without an
 * answer, the request stays pending, and the result of the call says how to approve it.
 */
import {
  inputRequired,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { approvalRequired, outcomeResult } from '../../tools/exec/outcome-result.ts';
import type { ToolResult } from '../../wire/tool.ts';
import { actorOf } from '../../wire/actor.ts';
import type { ApprovalInfo } from '../../wire/approval.ts';
import type { Gateway } from '../../wire/methods.ts';
import { askingNode, isApprovalPending, onlyAnsweredOn } from '../approval-pending.ts';
import type { Call } from './call-context.ts';
import { canAsk } from './client.ts';
import { LONGEST_TIMER_MS, LONGEST_WAIT_MS } from './client-timeout.ts';
import { answeringClient } from './recorded-client.ts';
import { answerOf, type PersonAnswer, type Question, questionAbout } from './question.ts';
import { type AskedState, hashOfCall } from './state.ts';

/** The key of the request in `inputRequests`. */
const KEY = 'approval';

/** Returns the result unchanged, unless it waits for a person who can be asked through the client. */
export async function askInClient(result: ToolResult, call: Call): Promise<ToolResult | InputRequiredResult> {
  const { approvalId } = result.details;
  if (!isApprovalPending(call.tool, result) || typeof approvalId !== 'string') return result;
  const asked = await questionFor(approvalId, call);
  if (asked === undefined) return withApproveCommand(result);
  const { question, approval } = asked;
  if (call.serving.era === 'modern')
    return inputRequired({
      inputRequests: { [KEY]: inputRequired.elicit(question) },
      requestState: await call.codec.mint(
        { approvalId, call: hashOfCall(call.tool, call.args), expiresAtMs: approval.expiresAt },
        call.request,
      ),
    });
  const answer = await answerInClient(question, approval, call);
  return answer === undefined ? approvalOutcome(approvalId, call) : decide(approvalId, answer, call);
}

/** The repeated call with a `requestState`: the person has answered the request, or not. */
export async function resumeCall(state: AskedState, call: Call): Promise<ToolResult> {
  const { approvalId, expiresAtMs } = state;
  // A client that must not ask must not answer either, even with a valid state.
  if (!mayAskInClient(call)) throw refused(NO_PERSON);
  if (state.call !== hashOfCall(call.tool, call.args)) throw refused('it belongs to another call');
  if (expiresAtMs <= Date.now()) throw refused('the approval request has expired');
  if (call.answered.has(approvalId)) throw answeredAlready();
  const gateway = await gatewayOf(call);
  const question = questionAbout(await gateway.call('approval.show', { id: approvalId }, call.signal));
  const response = call.request.mcpReq.inputResponses?.[KEY];
  const answer = question === undefined ? undefined : answerOf(response ?? {}, question);
  return answer === undefined ? approvalOutcome(approvalId, call) : decide(approvalId, answer, call);
}

function refused(why: string, whatRan = 'nothing was run'): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid requestState: ${why}; ${whatRan}`, {
    reason: 'invalid_request_state',
  });
}

function answeredAlready(): ProtocolError {
  return refused('it was already answered', 'the first answering call has the result, and nothing was run again');
}

const NO_PERSON = 'no person can be asked through this client';

function mayAskInClient({ options, server, request }: Call): boolean {
  return options.gateway !== undefined && options.asksInClient !== false && canAsk(server, request);
}

/** Undefined if the question cannot be asked in this client. */
async function questionFor(
  id: string,
  call: Call,
): Promise<{ readonly question: Question; readonly approval: ApprovalInfo } | undefined> {
  const { options, signal } = call;
  if (!mayAskInClient(call)) return undefined;
  try {
    const approval = await (await gatewayOf(call)).call('approval.show', { id }, signal);
    const question = questionAbout(approval);
    return question === undefined ? undefined : { question, approval };
  } catch (error) {
    options.log(`approval ${id} cannot be requested in the client: ${(error as Error).message}`);
    return undefined;
  }
}

/** Sends `elicitation/create`, for clients of the legacy era; undefined if there is no answer. */
async function answerInClient(
  question: Question,
  approval: ApprovalInfo,
  call: Call,
): Promise<PersonAnswer | undefined> {
  const { request, progress, signal, options } = call;
  const left = approval.expiresAt - Date.now();
  progress?.waitFor(`waiting for approval ${approval.slug}`);
  try {
    const { message, requestedSchema } = question;
    const answer = await request.mcpReq.send(
      { method: 'elicitation/create', params: { message, requestedSchema } },
      { timeout: Math.max(1, Math.min(left, progress === undefined ? LONGEST_WAIT_MS : LONGEST_TIMER_MS)), signal },
    );
    return answerOf(answer, question);
  } catch (error) {
    if (signal.aborted) throw error;
    options.log(`approval request ${approval.slug} was not answered in the client: ${(error as Error).message}`);
    return undefined;
  }
}

async function decide(approvalId: string, answer: PersonAnswer, call: Call): Promise<ToolResult> {
  const { toolbox, client, signal, progress, yieldMs, answered } = call;
  // Checked again, synchronously with `remember`: only one of several concurrent answers counts.
  if (answered.has(approvalId)) throw answeredAlready();
  remember(answered, approvalId);
  return toolbox.decide(
    { approvalId, ...answer, by: answeringClient(client) },
    {
      signal,
      ...(progress === undefined ? {} : { onUpdate: (partial: ToolResult) => progress.update(partial) }),
      ...(yieldMs === undefined ? {} : { yieldMs }),
    },
  );
}

/** Older answers have expired, or the gateway knows that they were given. */
const MOST_REMEMBERED = 10_000;

function remember(answered: Set<string>, id: string): void {
  const [oldest] = answered;
  if (answered.size >= MOST_REMEMBERED && oldest !== undefined) answered.delete(oldest);
  answered.add(id);
}

/** Without an answer in the client: the request is still pending, or a person has answered it elsewhere. */
async function approvalOutcome(id: string, call: Call): Promise<ToolResult> {
  const caller = actorOf(call.options.setting);
  const { yieldMs, signal } = call;
  const asked = { id, caller, ...(yieldMs === undefined ? {} : { yieldMs }) };
  const outcome = await (await gatewayOf(call)).call('approval.outcome', asked, signal);
  return withApproveCommand(outcomeResult(outcome, signal));
}

async function gatewayOf({ options }: Call): Promise<Gateway> {
  if (options.gateway === undefined) throw refused(NO_PERSON);
  return options.gateway();
}

/** Adds to a pending result the command that approves it, and how the model gets the output. */
function withApproveCommand(result: ToolResult): ToolResult {
  const { status, approvalSlug, reason, warnings = [] } = result.details;
  if (status !== 'approval-pending') return result;
  const node = onlyAnsweredOn(result);
  const approveWith = `pincer approvals allow ${node?.approvalId ?? String(approvalSlug)}`;
  const where = node === undefined ? 'in a terminal' : `in a terminal of the machine ${node.name}`;
  const text = [
    ...(warnings as readonly string[]).map((warning) => `Warning: ${warning}`),
    approvalRequired(String(approvalSlug), String(reason), askingNode(result)),
    `The command has not started. A person must allow it ${where}: ${approveWith}. Then it runs, and the tool process lists its session and shows its output. Tell the user, and do not call exec again for the same command.`,
  ].join('\n');
  return { ...result, content: [{ type: 'text', text }], details: { ...result.details, approveWith } };
}
