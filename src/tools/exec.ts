/** The tool `exec`: a command as a session, waited for as long as it was asked to. */
import { ASKS, HOST_NAMES, SECURITIES } from '../wire/policy.ts';
import type { ExecRequest } from '../wire/exec.ts';
import { failingWithStatus, noGateway } from './exec/failing.ts';
import { showOutcome } from './exec/show.ts';
import { boolean, describe, type Infer, json, number, object, oneOf, record, string } from '../wire/schema.ts';
import { withUpdates } from './exec/updates.ts';
import { invalid } from './params.ts';
import { defineTool, type ToolContext } from './tool.ts';
import type { ToolResult } from '../wire/tool.ts';

const INPUT = object(
  { command: string({ description: 'The shell command' }) },
  {
    workdir: string({ description: 'Working folder, from the workspace on' }),
    env: describe(record(json()), 'Environment overrides, names to text'),
    yieldMs: number({ description: 'Milliseconds to wait before it goes on in the background (10 to 120000)' }),
    background: boolean({ description: 'Run in the background at once' }),
    timeout: number({
      min: 0,
      description: 'Seconds after which it is ended, also in the background (default 1800; 0 for never)',
    }),
    pty: boolean({ description: 'Run in a pseudo-terminal: for programs that want one, and for typing into' }),
    host: describe(oneOf(HOST_NAMES), 'Where to run'),
    security: describe(oneOf(SECURITIES), 'May only be stricter than configured'),
    ask: describe(oneOf(ASKS), 'May only be stricter than configured'),
    node: string({ description: 'Id or name of the node for host=node' }),
    elevated: boolean({ description: 'Ask to run on the gateway where commands are sandboxed' }),
  },
);

export const execTool = defineTool({
  name: 'exec',
  description:
    'Run a shell command in the workspace. It runs in the foreground for yieldMs (default 10 s) and then goes on in the background: use the tool process with its sessionId to poll, read its log, type into it or end it.',
  input: INPUT,
  aliases: [{ keys: ['command', 'cmd'] }, { keys: ['workdir', 'cwd'] }, { keys: ['timeout', 'timeoutSeconds'] }],
  effects: 'runs',
  run: (input, context) => failingWithStatus(() => runCommand(input, context)),
});

async function runCommand(input: Infer<typeof INPUT>, context: ToolContext): Promise<ToolResult> {
  const { running } = context;
  if (running === undefined) throw noGateway();
  const request = requestOf(input);
  const gateway = await running.gateway();
  const { caller, environment, restrictions, processAllowed } = running;
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
          ...(restrictions === undefined ? {} : { restrictions }),
          ...(processAllowed ? {} : { synchronous: true as const }),
        },
      },
      signal,
    );
  if (onUpdate === undefined || ticket.ticket === undefined) return showOutcome(await start(), signal);
  const session = (done: AbortSignal) => gateway.call('session.started', { caller, ticket: ticket.ticket }, done);
  return showOutcome(await withUpdates({ gateway, caller, onUpdate, session }, start), signal);
}

function requestOf(input: Infer<typeof INPUT>): ExecRequest {
  const { env } = input;
  if (env !== undefined) {
    const wrong = Object.entries(env).find(([, value]) => typeof value !== 'string');
    if (wrong !== undefined)
      throw invalid(
        'exec',
        `env.${wrong[0]}`,
        'a string',
        wrong[1],
        'the values of environment variables are text: put it in quotes',
      );
  }
  return input as ExecRequest;
}
