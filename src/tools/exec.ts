/** The tool `exec`: runs a command as a session. */
import { ASKS, HOST_NAMES, SECURITIES } from '../wire/policy.ts';
import type { ExecRequest } from '../wire/exec.ts';
import { RUNS_COMMAND, USE_PROCESS } from './descriptions.ts';
import { withFailedStatus, noGateway } from './exec/failed-status.ts';
import { outcomeResult } from './exec/outcome-result.ts';
import { boolean, describe, type Infer, json, number, object, oneOf, record, string } from '../wire/schema.ts';
import { withUpdates } from './exec/updates.ts';
import { invalid } from './params.ts';
import { defineTool, type ToolContext } from './tool.ts';
import type { ToolResult } from '../wire/tool.ts';

const INPUT = object(
  { command: string({ description: 'The shell command.' }) },
  {
    workdir: string({ description: 'Folder, relative to the workspace.' }),
    env: describe(record(json()), 'Environment variables to set.'),
    yieldMs: number({ description: 'Milliseconds until it continues in the background (10 to 120000).' }),
    background: boolean({ description: 'Run in the background immediately.' }),
    timeout: number({
      min: 0,
      description: 'Time limit in seconds, also in the background (default 1800; 0 for none).',
    }),
    pty: boolean({ description: 'Run in a pseudo-terminal, for interactive programs.' }),
    host: describe(oneOf(HOST_NAMES), 'Where to run.'),
    security: describe(oneOf(SECURITIES), 'May only make rules stricter.'),
    ask: describe(oneOf(ASKS), 'May only make rules stricter.'),
    node: string({ description: 'Id or name of the node for host=node.' }),
    elevated: boolean({ description: 'Request to run outside the sandbox.' }),
  },
);

export const execTool = defineTool({
  name: 'exec',
  description: `${RUNS_COMMAND} It runs in the foreground for yieldMs (default 10 s) and then continues in the background: ${USE_PROCESS}`,
  input: INPUT,
  aliases: [{ keys: ['command', 'cmd'] }, { keys: ['workdir', 'cwd'] }, { keys: ['timeout', 'timeoutSeconds'] }],
  effects: 'runs',
  run: (input, context) => withFailedStatus(() => runCommand(input, context)),
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
  if (onUpdate === undefined || ticket.ticket === undefined) return outcomeResult(await start(), signal);
  const session = (done: AbortSignal) => gateway.call('session.started', { caller, ticket: ticket.ticket }, done);
  return outcomeResult(await withUpdates({ gateway, caller, onUpdate, session }, start), signal);
}

function requestOf(input: Infer<typeof INPUT>): ExecRequest {
  const { env } = input;
  if (env !== undefined) {
    const wrong = Object.entries(env).find(([, value]) => typeof value !== 'string');
    if (wrong !== undefined) throw invalid('exec', `env.${wrong[0]}`, 'a string', wrong[1], 'put the value in quotes');
  }
  return input as ExecRequest;
}
