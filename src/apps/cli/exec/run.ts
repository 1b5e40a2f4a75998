/** `pincer exec`: runs a command as a session, and passes on its input, output and exit code. */
import { isSettingVariable } from '../../../config/config-files.ts';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import type { Caller, ExecContext, ExecOutcome } from '../../../wire/exec.ts';
import type { SessionInfo } from '../../../wire/session.ts';
import type { Client } from '../../client/socket.ts';
import { currentFolder } from '../current-folder.ts';
import { helpOf } from '../definition.ts';
import { reportFailure, reportNotice } from '../failure.ts';
import { printJson } from '../print-json.ts';
import { openGateway, operatorCaller } from '../gateway.ts';
import { BrokenPipe, type Output, quietly } from '../../terminal/output.ts';
import { foreignOutput } from '../../terminal/filter/foreign-output.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { type ExecArguments, readExecArguments } from './args.ts';
import { definition } from './definition.ts';
import { exitCodeOfSession, NOT_FOUND, failureText } from './session-end.ts';
import { showOutput } from './show-output.ts';
import { handleInterrupts, type Interrupts } from './interrupt.ts';
import { forwardInput, inputKind, type InputKind, sessionSink } from './stdin.ts';

interface ExecRun {
  readonly args: ExecArguments;
  readonly caller: Caller;
  readonly client: Client;
  readonly output: Output;
  readonly input: InputKind;
  readonly abort: AbortController;
}

const DENIED = 1;
const PENDING = 4;
const LONG_WAIT_MS = 60_000;

export async function runExec(argv: readonly string[], output: Output): Promise<number> {
  let json = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length).includes('--json');
  try {
    const args = readExecArguments(argv);
    if (args === 'help') {
      output.out(helpOf(definition));
      return 0;
    }
    json = args.json;
    return await executeRequest(args, quietly(output, args.quiet));
  } catch (error) {
    if (error instanceof BrokenPipe) throw error; // closing the connection ended the command
    return reportFailure(error, json, output);
  }
}

export async function executeRequest(args: ExecArguments, output: Output): Promise<number> {
  const client = await openGateway();
  try {
    const caller = operatorCaller(args.agent, args.conversation);
    return await execute({ args, caller, client, output, input: inputKind(), abort: new AbortController() });
  } finally {
    client.close();
  }
}

async function execute(run: ExecRun): Promise<number> {
  const { args, client, abort } = run;
  const { request } = args;
  let session: string | undefined;
  const callSession = (method: 'session.interrupt' | 'session.kill', otherwise: () => void): void => {
    if (session === undefined) abort.abort();
    else client.call(method, { caller: run.caller, sessionId: session }).catch(otherwise);
  };
  const end = (): void => callSession('session.kill', () => abort.abort());
  // Fallback: a daemon of an earlier version does not know session.interrupt.
  const interrupts = handleInterrupts({ interrupt: () => callSession('session.interrupt', end), end });
  try {
    const started = client.call('exec.start', { request, context: await contextOf(run) }, abort.signal);
    const outcome = await Promise.race([started, interrupts.again]);
    if (outcome === undefined) return 128 + interrupts.first!;
    const onSession = (id: string): void => void (session = id);
    return await conclude(run, outcome, interrupts, onSession);
  } catch (error) {
    if (interrupts.first === undefined || session !== undefined) throw error;
    return 128 + interrupts.first; // interrupted while waiting for the daemon
  } finally {
    interrupts.stop();
  }
}

/** Whether this program waits for the end of the session. */
function staysAttached({ request }: ExecArguments): boolean {
  return request.background !== true && request.yieldMs === undefined;
}

async function contextOf({ args, caller, input }: ExecRun): Promise<ExecContext> {
  const forwardsInput = staysAttached(args) && (input === 'stream' || input === 'file');
  const size = args.request.pty === true ? (await import('./terminal.ts')).terminalSize() : undefined;
  const environment = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const restrictions = environment.some(([name]) => isSettingVariable(name))
    ? await (await import('../../../config/load/environment.ts')).environmentRestrictions(process.env)
    : undefined;
  return {
    caller,
    folder: currentFolder(),
    environment: Object.fromEntries(environment),
    ...(restrictions === undefined ? {} : { restrictions }),
    umask: process.umask(),
    streams: 'apart',
    stdin: forwardsInput || args.request.pty === true ? 'open' : 'closed',
    ...(size === undefined ? {} : { size }),
    ...(staysAttached(args) ? { attached: true } : {}),
    ...(args.sandboxOnly === true ? { sandboxOnly: true } : {}),
  };
}

/** Prints the outcome, and returns the exit code. */
async function conclude(
  run: ExecRun,
  outcome: ExecOutcome,
  interrupts: Interrupts,
  onSession: (session: string) => void,
): Promise<number> {
  const { args, output } = run;
  if (!args.json) for (const warning of outcome.warnings) reportNotice(warning, false, output);
  if (outcome.status === 'denied') return showDenied(run, outcome);
  if (outcome.status === 'approval-pending') {
    const approval = await approvalOf(run, outcome);
    if (approval === undefined) return PENDING;
    if (approval.sessionId === undefined) return DENIED;
    onSession(approval.sessionId);
    return stayWith(run, approval.sessionId, outcome, interrupts);
  }
  onSession(outcome.session.id);
  if (staysAttached(args)) return stayWith(run, outcome.session.id, outcome, interrupts);
  return leave(run, outcome);
}

type Pending = Extract<ExecOutcome, { status: 'approval-pending' }>;

/** With `--wait`, the answered approval. */
async function approvalOf(
  { args, client, output, abort }: ExecRun,
  outcome: Pending,
): Promise<ApprovalInfo | undefined> {
  const { endText, waitForAnswer, reportPending } = await import('./approval.ts');
  if (!args.json) reportPending(outcome.approval, output);
  if (args.json && !args.wait) printJson(output, outcome);
  if (!args.wait) return undefined;
  const approval = await waitForAnswer(client, outcome.approval.id, abort.signal);
  if (approval.sessionId !== undefined) return approval;
  if (args.json) printJson(output, { ...outcome, approval });
  else reportNotice(endText(approval), false, output);
  return approval;
}

/** Passes input and output on until the session ends. */
async function stayWith(run: ExecRun, id: string, outcome: ExecOutcome, interrupts: Interrupts): Promise<number> {
  const { args, caller, client, output } = run;
  const left = new AbortController();
  if (!args.json) await noticeClosedInput(run);
  const input = await passInput(run, id, left);
  try {
    // A session with this terminal may send any escape sequence.
    const raw = args.raw || (args.request.pty === true && run.input === 'terminal');
    const following = args.json
      ? wholeOutput(run, id, outcome)
      : showOutput({ gateway: client, caller, sessionId: id, output, raw }, left.signal);
    const ended = await Promise.race([following, interrupts.again]);
    if (ended === undefined) return 128 + interrupts.first!;
    // Restore the terminal before printing to it.
    input?.stop();
    if (left.signal.aborted && ended.status === 'running') {
      (await import('../attach/screen.ts')).leaveScreen(output);
      reportNotice(`detached from ${id}, which keeps running; attach again with pincer attach ${id}`, false, output);
      return 0;
    }
    const why = failureText(ended);
    if (why !== undefined && !args.json) reportNotice(why, false, output);
    if (interrupts.first !== undefined && (ended.failure === 'killed' || ended.failure === 'aborted'))
      return 128 + interrupts.first;
    return await exitCodeOf(run, ended);
  } finally {
    input?.stop();
  }
}

async function wholeOutput({ caller, client, output }: ExecRun, sessionId: string, outcome: ExecOutcome) {
  let session = await client.call('session.wait', { caller, sessionId, waitMs: LONG_WAIT_MS });
  while (session.status === 'running')
    session = await client.call('session.wait', { caller, sessionId, waitMs: LONG_WAIT_MS });
  const { output: text } = await client.call('session.poll', { caller, sessionId });
  printJson(output, { status: session.status, session, output: text, warnings: outcome.warnings });
  return session;
}

/** A shell or interpreter without arguments is meant to be interactive, which needs `--pty`. */
async function noticeClosedInput({ args, input, output }: ExecRun): Promise<void> {
  const { command, pty } = args.request;
  if (input !== 'terminal' || pty === true || /\s/u.test(command.trim())) return;
  const { isShellOrInterpreter } = await import('../../../policy/programs/carriers.ts');
  if (isShellOrInterpreter(command.trim()))
    reportNotice(`${command.trim()} has no input; add --pty to use it interactively`, false, output);
}

async function passInput(
  { args, caller, client, input, abort }: ExecRun,
  id: string,
  left: AbortController,
): Promise<{ stop(): void } | undefined> {
  const sink = sessionSink(client, caller, id);
  const failed = (): void => abort.abort(); // the connection is lost, which the follower reports
  if (input === 'stream' || input === 'file') return forwardInput(input, sink, failed);
  if (input !== 'terminal' || args.request.pty !== true) return undefined;
  const { takeTerminal } = await import('./terminal.ts');
  const resize = (size: { cols: number; rows: number }): void =>
    void client.call('session.resize', { caller, sessionId: id, size }).catch(failed);
  const leave = (): void =>
    void client.call('session.background', { caller, sessionId: id }).then(() => left.abort(), failed);
  return takeTerminal({ sink, failed, resize, ...(args.json ? {} : { detach: leave }) });
}

/** The session keeps running in the background, or ended within `--yield`. */
async function leave(run: ExecRun, outcome: Extract<ExecOutcome, { session: unknown }>): Promise<number> {
  const { args, output } = run;
  const { session, status } = outcome;
  const { timeoutSec } = session;
  if (args.json) printJson(output, outcome);
  else if (args.request.background === true) {
    output.out(`${session.id}\n`);
    if (status === 'running' && timeoutSec !== undefined)
      reportNotice(`${session.id} ends after ${timeoutSec} s; --timeout 0 disables the limit`, false, output);
  } else {
    const foreign = foreignOutput(output, args.raw);
    foreign.out(Buffer.from(outcome.output.text));
    foreign.end();
    const limit = timeoutSec === undefined ? '' : `; it ends ${timeoutSec} s after its start`;
    if (status === 'running')
      reportNotice(`${session.id} keeps running; see pincer logs -f ${session.id}${limit}`, false, output);
  }
  if (status === 'running') return 0;
  const why = failureText(session);
  if (why !== undefined && !args.json) reportNotice(why, false, output);
  return exitCodeOf(run, session);
}

/** Adds a hint if the command was one argument with spaces and no program has that name. */
async function exitCodeOf({ args, output }: ExecRun, session: SessionInfo): Promise<number> {
  const code = exitCodeOfSession(session);
  const { singleArgument, json } = args;
  if (code === NOT_FOUND && singleArgument !== undefined && !json) {
    const { notFoundHint } = await import('../../../policy/hint.ts');
    reportNotice(notFoundHint(singleArgument), false, output);
  }
  return code;
}

function showDenied({ args, output }: ExecRun, outcome: Extract<ExecOutcome, { status: 'denied' }>): number {
  if (args.json) printJson(output, outcome);
  else {
    output.err(`pincer: denied (${outcome.reason}): ${visibleLine(outcome.message)}\n`);
    if (outcome.hint !== undefined) output.err(`hint: ${visibleLine(outcome.hint)}\n`);
  }
  return DENIED;
}
