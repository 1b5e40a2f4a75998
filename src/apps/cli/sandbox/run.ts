/** `pincer sandbox`: what keeps the work of agents in, and what is in it. */
import { resolve } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import type { SandboxInfo } from '../../../wire/sandbox.ts';
import type { Client } from '../../client/socket.ts';
import { shapeOf, unknownVerb } from '../definition.ts';
import { operatorCaller, withGateway } from '../gateway.ts';
import { runCommand } from '../run-command.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';
import { jsonOutput, type Output } from '../../terminal/output.ts';
import { type ParsedArguments, readArguments, usage, wantsJson } from '../arguments.ts';
import { definition } from './definition.ts';
import { sandboxTable } from './sandbox-table.ts';

const SHAPE = shapeOf(definition);

export function runSandbox(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return runCommand(definition, argv, output, async () => {
    const [verb = ''] = readArguments(SHAPE, argv).positionals;
    const args = readArguments({ ...shapeOf(definition, verb), positionals: ['verb'] }, argv);
    switch (verb) {
      case 'explain':
        return explain(args, json, output);
      case 'list':
        return list(json, output);
      case 'recreate':
        return recreate(args, json, output);
      case 'shell':
        return (await import('./shell.ts')).runShell(args, argv.includes('--json'), output);
      default:
        throw unknownVerb(definition, verb);
    }
  });
}

async function explain({ options }: ParsedArguments, json: boolean, output: Output): Promise<number> {
  const folder = resolve(options['workspace'] ?? '.');
  // What holds for the agent: the person at the command line passes the gate of elevated without being on its list.
  const { operator: _, ...caller } = operatorCaller(options['agent'], options['conversation']);
  const restrictions = await (await import('../../../config/load/environment.ts')).execInEnvironment(process.env);
  const asked = { caller, folder, ...(restrictions === undefined ? {} : { restrictions }) };
  const explanation = await withGateway((client) => client.call('sandbox.explain', asked));
  const [{ settingSources }, { renderExplanation }, { filesIn }] = await Promise.all([
    import('./setting-sources.ts'),
    import('./render-explanation.ts'),
    import('../../posture.ts'),
  ]);
  const { sandboxed, settings, probe } = explanation;
  const unavailable = probe?.ok === false ? { unavailable: probe.message } : {};
  const files = await filesIn(folder, caller, sandboxed ? { ...settings, ...unavailable } : undefined);
  const sources = await settingSources(folder, caller.agent);
  if (json) showJson({ ...explanation, files, sources }, output);
  else output.out(renderExplanation({ ...explanation, files }, sources, output.colour));
  return explanation.commandsSandboxed && explanation.probe?.ok === true ? 0 : 1;
}

async function list(json: boolean, output: Output): Promise<number> {
  const sandboxes = await listFromDaemon((client) => client.call('sandbox.list', {}));
  if (json) showJson(sandboxes, output);
  else output.out(sandboxTable(sandboxes, Date.now(), output.colour));
  return 0;
}

async function recreate({ options, flags }: ParsedArguments, json: boolean, output: Output): Promise<number> {
  refuseInsideSession('pincer sandbox recreate');
  const { agent } = options;
  if ((agent === undefined) !== flags.has('all'))
    throw usage(SHAPE, 'say whose: --agent <id>, or --all', 'pincer sandbox list shows those that run');
  const ended = await listFromDaemon((client) => client.call('sandbox.recreate', agent === undefined ? {} : { agent }));
  if (json) showJson(ended, output);
  else if (ended.length === 0) output.out('no sandbox was running\n');
  else for (const { id, owner } of ended) output.out(`${id} of ${owner} has ended\n`);
  return 0;
}

/** Sandboxes end with their daemon: where none runs, there are none. */
async function listFromDaemon(
  work: (client: Client) => Promise<readonly SandboxInfo[]>,
): Promise<readonly SandboxInfo[]> {
  try {
    return await withGateway(work, false);
  } catch (error) {
    if (error instanceof Fault && error.code === 'GATEWAY_NOT_RUNNING') return [];
    throw error;
  }
}

function showJson(value: object, output: Output): void {
  jsonOutput(output).out(`${JSON.stringify(value, null, 2)}\n`);
}
