/**
 * A command that needs a person: the question is put to the client where it can ask; where it cannot, or nobody answers there,
 * the question waits in the inbox and the answer of the call says how to answer it.
 */
import {
  inputRequired,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { outcomeResult } from '../../tools/exec/outcome-result.ts';
import type { ToolResult } from '../../wire/tool.ts';
import { actorOf } from '../../wire/actor.ts';
import type { ApprovalInfo } from '../../wire/approval.ts';
import type { Gateway } from '../../wire/methods.ts';
import { waitsForPerson } from '../pending.ts';
import type { Call } from './call-context.ts';
import { canAsk } from './client.ts';
import { LONGEST_TIMER_MS, LONGEST_WAIT_MS } from './clock.ts';
import { answeringClient } from './recorded-client.ts';
import { answerOf, type PersonAnswer, type Question, questionAbout } from './question.ts';
import { type AskedState, hashOfCall } from './state.ts';

/** The name of the question among those of a call. */
const KEY = 'approval';

/** What came of a call: as it is, unless it waits for a person who can be asked here. */
export async function askWherePossible(result: ToolResult, call: Call): Promise<ToolResult | InputRequiredResult> {
  const { approvalId } = result.details;
  if (!waitsForPerson(call.tool, result) || typeof approvalId !== 'string') return result;
  const asked = await toBeAsked(approvalId, call);
  if (asked === undefined) return inbox(result);
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
  return answer === undefined ? whatBecame(approvalId, call) : decide(approvalId, answer, call);
}

/** The call again, with what the client carried along: its question was answered, or not. */
export async function answerCarried(state: AskedState, call: Call): Promise<ToolResult> {
  const { approvalId, expiresAtMs } = state;
  // Who may not be asked may not answer either, whatever it carries.
  if (!mayBeAsked(call)) throw refused(NOBODY);
  if (state.call !== hashOfCall(call.tool, call.args)) throw refused('it belongs to another call');
  if (expiresAtMs <= Date.now()) throw refused('the time for an answer is over');
  if (call.answered.has(approvalId)) throw answeredAlready();
  const gateway = await gatewayOf(call);
  const question = questionAbout(await gateway.call('approval.show', { id: approvalId }, call.signal));
  const response = call.request.mcpReq.inputResponses?.[KEY];
  const answer = question === undefined ? undefined : answerOf(response ?? {}, question);
  return answer === undefined ? whatBecame(approvalId, call) : decide(approvalId, answer, call);
}

function refused(why: string, whatRan = 'nothing was run'): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid requestState: ${why}; ${whatRan}`, {
    reason: 'invalid_request_state',
  });
}

function answeredAlready(): ProtocolError {
  return refused('it was answered already', 'the call that answered first has the result, and nothing was run again');
}

const NOBODY = 'no person here can answer questions';

/** Whether somebody sits in front of this client whose answer counts. */
function mayBeAsked({ options, server, request }: Call): boolean {
  return options.gateway !== undefined && options.asksInClient !== false && canAsk(server, request);
}

/** The question and what it is about; undefined where it cannot be put to a person in this client. */
async function toBeAsked(
  id: string,
  call: Call,
): Promise<{ readonly question: Question; readonly approval: ApprovalInfo } | undefined> {
  const { options, signal } = call;
  if (!mayBeAsked(call)) return undefined;
  try {
    const approval = await (await gatewayOf(call)).call('approval.show', { id }, signal);
    const question = questionAbout(approval);
    return question === undefined ? undefined : { question, approval };
  } catch (error) {
    options.log(`the approval ${id} cannot be asked about in the client: ${(error as Error).message}`);
    return undefined;
  }
}

/** Asks over the connection, as clients of the older era are asked; undefined when no answer came. */
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
    options.log(`the question about approval ${approval.slug} was not answered: ${(error as Error).message}`);
    return undefined;
  }
}

async function decide(approvalId: string, answer: PersonAnswer, call: Call): Promise<ToolResult> {
  const { toolbox, client, signal, progress, yieldMs, answered } = call;
  // Asked again without a pause before it is noted: of answers that come at the same moment one counts.
  if (answered.has(approvalId)) throw answeredAlready();
  remember(answered, approvalId);
  return toolbox.decide(
    { approvalId, ...answer, by: answeringClient(client) },
    {
      signal,
      ...(progress === undefined ? {} : { onUpdate: (partial: ToolResult) => progress.hear(partial) }),
      ...(yieldMs === undefined ? {} : { yieldMs }),
    },
  );
}

/** How many answers are remembered: those before them have expired, or the gateway knows that they were given. */
const MOST_REMEMBERED = 10_000;

function remember(answered: Set<string>, id: string): void {
  const [oldest] = answered;
  if (answered.size >= MOST_REMEMBERED && oldest !== undefined) answered.delete(oldest);
  answered.add(id);
}

/** Nobody answered here: it waits in the inbox still, or somebody answered elsewhere in the meantime. */
async function whatBecame(id: string, call: Call): Promise<ToolResult> {
  const caller = actorOf(call.options.setting);
  const { yieldMs, signal } = call;
  const asked = { id, caller, ...(yieldMs === undefined ? {} : { yieldMs }) };
  const outcome = await (await gatewayOf(call)).call('approval.outcome', asked, signal);
  return inbox(outcomeResult(outcome, signal));
}

async function gatewayOf({ options }: Call): Promise<Gateway> {
  if (options.gateway === undefined) throw refused(NOBODY);
  return options.gateway();
}

/** A question in the inbox: the line that answers it, and where a model finds what came of it. */
function inbox(result: ToolResult): ToolResult {
  const { status, approvalSlug, reason, warnings = [] } = result.details;
  if (status !== 'approval-pending') return result;
  const approveWith = `pincer approvals allow ${String(approvalSlug)}`;
  const text = [
    ...(warnings as readonly string[]).map((warning) => `Warning: ${warning}`),
    `Approval required (id ${String(approvalSlug)}): ${String(reason)}.`,
    `The command has not been started. It runs when a person allows it in a terminal, with ${approveWith}; after that the tool process lists its session and shows its output. Tell the user, and do not call it again for the same command.`,
  ].join('\n');
  return { ...result, content: [{ type: 'text', text }], details: { ...result.details, approveWith } };
}
