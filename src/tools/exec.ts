/** The tool `exec`: a command as a session, waited for as long as it was asked to. */
import { ASKS, HOST_NAMES, SECURITIES } from '../wire/policy.ts';
import { Fault } from '../base/fault.ts';
import type { ExecRequest } from '../wire/exec.ts';
import { failingWithStatus, noGateway } from './exec/failing.ts';
import { showOutcome } from './exec/show.ts';
import { withUpdates } from './exec/updates.ts';
import { kindOf } from './params.ts';
import type { Tool, ToolContext, ToolResult } from './tool.ts';

export const execTool: Tool = {
  name: 'exec',
  description:
    'Run a shell command in the workspace. It runs in the foreground for yieldMs (default 10 s) and then goes on in the background: use the tool process with its sessionId to poll, read its log, type into it or end it.',
  input: {
    type: 'object',
    properties: {
      command: { type: 'string', description: 'The shell command' },
      workdir: { type: 'string', description: 'Working folder, from the workspace on' },
      env: { type: 'object', description: 'Environment overrides, names to text' },
      yieldMs: {
        type: 'number',
        description: 'Milliseconds to wait before it goes on in the background (10 to 120000)',
      },
      background: { type: 'boolean', description: 'Run in the background at once' },
      timeout: {
        type: 'number',
        minimum: 0,
        description: 'Seconds after which it is ended, also in the background (default 1800; 0 for never)',
      },
      pty: {
        type: 'boolean',
        description: 'Run in a pseudo-terminal: for programs that want one, and for typing into',
      },
      host: { type: 'string', enum: HOST_NAMES, description: 'Where to run' },
      security: {
        type: 'string',
        enum: SECURITIES,
        description: 'May only be stricter than configured',
      },
      ask: { type: 'string', enum: ASKS, description: 'May only be stricter than configured' },
      node: { type: 'string', description: 'Id or name of the node for host=node' },
      elevated: { type: 'boolean', description: 'Ask to run on the gateway where commands are sandboxed' },
    },
    required: ['command'],
    additionalProperties: false,
  },
  aliases: [{ keys: ['command', 'cmd'] }, { keys: ['workdir', 'cwd'] }, { keys: ['timeout', 'timeoutSeconds'] }],
  effects: 'runs',
  run: (input, context) => failingWithStatus(() => runCommand(input, context)),
};

async function runCommand(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult> {
  const { running } = context;
  if (running === undefined) throw noGateway();
  const request = requestOf(input);
  const gateway = await running.gateway();
  const { caller, environment, tighter, processAllowed } = running;
  const { onUpdate, signal } = context;
  const ticket = onUpdate === undefined ? {} : { ticket: crypto.randomUUID() };
  const start = () =>
    gateway.call(
      'exec.start',
      {
        request,
        context: {
          caller,
          folder: context.files.workspace,
          environment,
          ...ticket,
          ...(tighter === undefined ? {} : { tighter }),
          ...(processAllowed ? {} : { synchronous: true as const }),
        },
      },
      signal,
    );
  if (onUpdate === undefined || ticket.ticket === undefined) return showOutcome(await start(), signal);
  const session = (done: AbortSignal) => gateway.call('session.started', { caller, ticket: ticket.ticket }, done);
  return showOutcome(await withUpdates({ gateway, caller, onUpdate, session }, start), signal);
}

function requestOf(input: Readonly<Record<string, unknown>>): ExecRequest {
  const { env } = input;
  if (env !== undefined) {
    const wrong = Object.entries(env as object).find(([, value]) => typeof value !== 'string');
    if (wrong !== undefined)
      throw new Fault('PARAM_INVALID', `exec: env.${wrong[0]} must be a string, not ${kindOf(wrong[1])}`, {
        hint: 'the values of environment variables are text: put it in quotes',
        details: { parameter: `env.${wrong[0]}` },
      });
  }
  return input as unknown as ExecRequest;
}
