/** `pincer exec`: a command as a session, with its output, its input and its exit code passed through. */
import { Fault } from '../../../base/fault.ts';
import { isSettingVariable } from '../../../config/config-files.ts';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import type { Caller, ExecContext, ExecOutcome } from '../../../wire/exec.ts';
import type { SessionInfo } from '../../../wire/session.ts';
import type { Client } from '../../client/socket.ts';
import { helpOf } from '../definition.ts';
import { reportFailure, reportNotice } from '../failure.ts';
import { openGateway, operator } from '../gateway.ts';
import { BrokenPipe, jsonOutput, type Output, quietly } from '../../terminal/output.ts';
import { foreignOutput } from '../../terminal/filter/foreign-output.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { type ExecArguments, readExecArguments } from './args.ts';
import { definition } from './definition.ts';
import { exitCodeOfSession, NOT_FOUND, whyEnded } from './ended.ts';
import { showOutput } from './follow.ts';
import { heedInterrupts, type Interrupts } from './interrupt.ts';
import { forwardInput, inputKind, type InputKind, sessionSink } from './stdin.ts';

/** One run of the command, and what its parts need. */
interface Run {
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
    if (error instanceof BrokenPipe) throw error; // closing the connection has ended the command
    return reportFailure(error, json, output);
  }
}

/** Runs a request as the command does; a failure is thrown. */
export async function executeRequest(args: ExecArguments, output: Output): Promise<number> {
  const client = await openGateway();
  try {
    const caller = operator(args.agent, args.conversation);
    return await execute({ args, caller, client, output, input: inputKind(), abort: new AbortController() });
  } finally {
    client.close();
  }
}

async function execute(run: Run): Promise<number> {
  const { args, client, abort } = run;
  const { request } = args;
  let session: string | undefined;
  const toSession = (method: 'session.interrupt' | 'session.kill', otherwise: () => void): void => {
    if (session === undefined) abort.abort();
    else client.call(method, { caller: run.caller, sessionId: session }).catch(otherwise);
  };
  const end = (): void => toSession('session.kill', () => abort.abort());
  // A daemon of an earlier version cannot interrupt.
  const interrupts = heedInterrupts({ interrupt: () => toSession('session.interrupt', end), end });
  try {
    const begun = client.call('exec.start', { request, context: await contextOf(run) }, abort.signal);
    const outcome = await Promise.race([begun, interrupts.again]);
    if (outcome === undefined) return 128 + interrupts.first!;
    const begins = (id: string): void => void (session = id);
    return await conclude(run, outcome, interrupts, begins);
  } catch (error) {
    if (interrupts.first === undefined || session !== undefined) throw error;
    return 128 + interrupts.first; // whoever waited for an answer does not want it any more
  } finally {
    interrupts.stop();
  }
}

/** Whether this program stays with the session to its end. */
function stays({ request }: ExecArguments): boolean {
  return request.background !== true && request.yieldMs === undefined;
}

async function contextOf({ args, caller, input }: Run): Promise<ExecContext> {
  const forwards = stays(args) && (input === 'stream' || input === 'file');
  const size = args.request.pty === true ? (await import('./terminal.ts')).terminalSize() : undefined;
  const environment = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const restrictions = environment.some(([name]) => isSettingVariable(name))
    ? await (await import('../../../config/load/environment.ts')).environmentRestrictions(process.env)
    : undefined;
  return {
    caller,
    folder: workingFolder(),
    environment: Object.fromEntries(environment),
    ...(restrictions === undefined ? {} : { restrictions }),
    umask: process.umask(),
    streams: 'apart',
    stdin: forwards || args.request.pty === true ? 'open' : 'closed',
    ...(size === undefined ? {} : { size }),
    ...(stays(args) ? { attached: true } : {}),
    ...(args.sandboxOnly === true ? { sandboxOnly: true } : {}),
  };
}

/** Someone may have removed the folder that the shell stands in. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new Fault('FS_NOT_FOUND', 'the working folder does not exist any more', {
      hint: 'go to a folder that exists',
      cause: error,
    });
  }
}

/** What became of the request, shown, and the exit code for it. */
async function conclude(
  run: Run,
  outcome: ExecOutcome,
  interrupts: Interrupts,
  begins: (session: string) => void,
): Promise<number> {
  const { args, output } = run;
  if (!args.json) for (const warning of outcome.warnings) reportNotice(warning, false, output);
  if (outcome.status === 'denied') return showDenied(run, outcome);
  if (outcome.status === 'approval-pending') {
    const approval = await approvalOf(run, outcome);
    if (approval === undefined) return PENDING;
    if (approval.sessionId === undefined) return DENIED;
    begins(approval.sessionId);
    return stayWith(run, approval.sessionId, outcome, interrupts);
  }
  begins(outcome.session.id);
  if (stays(args)) return stayWith(run, outcome.session.id, outcome, interrupts);
  return leave(run, outcome);
}

type Pending = Extract<ExecOutcome, { status: 'approval-pending' }>;

/** The approval once it is answered, when that is waited for. */
async function approvalOf({ args, client, output, abort }: Run, outcome: Pending): Promise<ApprovalInfo | undefined> {
  const { answered, tellPending } = await import('./approval.ts');
  if (!args.json) tellPending(outcome.approval, output);
  else if (!args.wait) showJson(outcome, output);
  if (!args.wait) return undefined;
  const approval = await answered(client, outcome.approval.id, abort.signal);
  if (approval.sessionId !== undefined) return approval;
  if (args.json) showJson({ ...outcome, approval }, output);
  else reportNotice(`approval ${approval.slug}: ${approval.outcome ?? approval.state}`, false, output);
  return approval;
}

/** Passes input and output through until the session has ended. */
async function stayWith(run: Run, id: string, outcome: ExecOutcome, interrupts: Interrupts): Promise<number> {
  const { args, caller, client, output } = run;
  const left = new AbortController();
  if (!args.json) await tellClosedInput(run);
  const input = await passInput(run, id, left);
  try {
    // A session that was given the terminal draws on it as it likes.
    const raw = args.raw || (args.request.pty === true && run.input === 'terminal');
    const following = args.json
      ? wholeOutput(run, id, outcome)
      : showOutput({ gateway: client, caller, sessionId: id, output, raw }, left.signal);
    const ended = await Promise.race([following, interrupts.again]);
    if (ended === undefined) return 128 + interrupts.first!;
    // The terminal is given back before anything is said on it.
    input?.stop();
    if (left.signal.aborted && ended.status === 'running') {
      (await import('../attach/screen.ts')).leaveScreen(output);
      reportNotice(`left ${id} running in the background; pincer attach ${id} comes back to it`, false, output);
      return 0;
    }
    const why = whyEnded(ended);
    if (why !== undefined && !args.json) reportNotice(why, false, output);
    if (interrupts.first !== undefined && (ended.failure === 'killed' || ended.failure === 'aborted'))
      return 128 + interrupts.first;
    return await exitCodeOf(run, ended);
  } finally {
    input?.stop();
  }
}

async function wholeOutput({ caller, client, output }: Run, sessionId: string, outcome: ExecOutcome) {
  let session = await client.call('session.wait', { caller, sessionId, waitMs: LONG_WAIT_MS });
  while (session.status === 'running')
    session = await client.call('session.wait', { caller, sessionId, waitMs: LONG_WAIT_MS });
  const { output: text } = await client.call('session.poll', { caller, sessionId });
  showJson({ status: session.status, session, output: text, warnings: outcome.warnings }, output);
  return session;
}

/** A shell or an interpreter alone, from a terminal: whoever starts that wants to type, which only a terminal of its own allows. */
async function tellClosedInput({ args, input, output }: Run): Promise<void> {
  const { command, pty } = args.request;
  if (input !== 'terminal' || pty === true || /\s/u.test(command.trim())) return;
  const { isShellOrInterpreter } = await import('../../../policy/programs/carriers.ts');
  if (isShellOrInterpreter(command.trim()))
    reportNotice(`${command.trim()} has no input: add --pty to type into it`, false, output);
}

async function passInput(
  { args, caller, client, input, abort }: Run,
  id: string,
  left: AbortController,
): Promise<{ stop(): void } | undefined> {
  const sink = sessionSink(client, caller, id);
  const failed = (): void => abort.abort(); // the connection is gone, which the follower reports
  if (input === 'stream' || input === 'file') return forwardInput(input, sink, failed);
  if (input !== 'terminal' || args.request.pty !== true) return undefined;
  const { takeTerminal } = await import('./terminal.ts');
  const resize = (size: { cols: number; rows: number }): void =>
    void client.call('session.resize', { caller, sessionId: id, size }).catch(failed);
  const leave = (): void =>
    void client.call('session.background', { caller, sessionId: id }).then(() => left.abort(), failed);
  return takeTerminal({ sink, failed, resize, ...(args.json ? {} : { detach: leave }) });
}

/** The session goes on without us, or has ended within the time that was given. */
async function leave(run: Run, outcome: Extract<ExecOutcome, { session: unknown }>): Promise<number> {
  const { args, output } = run;
  const { session, status } = outcome;
  const { timeoutSec } = session;
  if (args.json) showJson(outcome, output);
  else if (args.request.background === true) {
    output.out(`${session.id}\n`);
    if (status === 'running' && timeoutSec !== undefined)
      reportNotice(`${session.id} is ended after ${timeoutSec} s; --timeout 0 sets no limit`, false, output);
  } else {
    const foreign = foreignOutput(output, args.raw);
    foreign.out(Buffer.from(outcome.output.text));
    foreign.end();
    const limit = timeoutSec === undefined ? '' : `; it is ended ${timeoutSec} s after its start`;
    if (status === 'running')
      reportNotice(`${session.id} goes on; see pincer logs -f ${session.id}${limit}`, false, output);
  }
  if (status === 'running') return 0;
  const why = whyEnded(session);
  if (why !== undefined && !args.json) reportNotice(why, false, output);
  return exitCodeOf(run, session);
}

/** The exit code; a command that was given as one word with blanks in it is explained where no program has that name. */
async function exitCodeOf({ args, output }: Run, session: SessionInfo): Promise<number> {
  const code = exitCodeOfSession(session);
  const { oneWord, json } = args;
  if (code === NOT_FOUND && oneWord !== undefined && !json) {
    const { notFoundHint } = await import('../../../policy/stage.ts');
    reportNotice(notFoundHint(oneWord), false, output);
  }
  return code;
}

function showDenied({ args, output }: Run, outcome: Extract<ExecOutcome, { status: 'denied' }>): number {
  if (args.json) showJson(outcome, output);
  else {
    output.err(`pincer: denied (${outcome.reason}): ${visibleLine(outcome.message)}\n`);
    if (outcome.hint !== undefined) output.err(`hint: ${visibleLine(outcome.hint)}\n`);
  }
  return DENIED;
}

function showJson(value: object, output: Output): void {
  jsonOutput(output).out(`${JSON.stringify(value, null, 2)}\n`);
}
