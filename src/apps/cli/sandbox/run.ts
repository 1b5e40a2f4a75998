/** `pincer sandbox`: what keeps the work of agents in, and what is in it. */
import { resolve } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import type { SandboxInfo } from '../../../wire/sandbox.ts';
import type { Client } from '../../client/socket.ts';
import { helpOf, shapeOf, unknownVerb } from '../definition.ts';
import { gatewayCommand, operator, withGateway } from '../gateway.ts';
import { refuseInsideSession } from '../inside.ts';
import { jsonOutput, type Output } from '../../terminal/output.ts';
import { type CommandWords, readWords, usage, wantsJson } from '../arguments.ts';
import { definition } from './definition.ts';
import { table } from './show.ts';

const SHAPE = shapeOf(definition);

export function runSandbox(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return gatewayCommand(argv, output, { help: () => helpOf(definition) }, async () => {
    const [verb = ''] = readWords(SHAPE, argv).words;
    const args = readWords({ ...shapeOf(definition, verb), words: ['verb'] }, argv);
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

async function explain({ options }: CommandWords, json: boolean, output: Output): Promise<number> {
  const folder = resolve(options['workspace'] ?? '.');
  // What holds for the agent: the person at the command line passes the gate of elevated without being on its list.
  const { operator: _, ...caller } = operator(options['agent'], options['conversation']);
  const restrictions = await (await import('../../../config/load/environment.ts')).environmentRestrictions(process.env);
  const asked = { caller, folder, ...(restrictions === undefined ? {} : { restrictions }) };
  const explanation = await withGateway((client) => client.call('sandbox.explain', asked));
  const [{ sourcesOf }, { explained }, { filesIn }] = await Promise.all([
    import('./sources.ts'),
    import('./explained.ts'),
    import('../../posture.ts'),
  ]);
  const { sandboxed, settings, probe } = explanation;
  const unavailable = probe?.ok === false ? { unavailable: probe.message } : {};
  const files = await filesIn(folder, caller, sandboxed ? { ...settings, ...unavailable } : undefined);
  const sources = await sourcesOf(folder, caller.agent);
  if (json) showJson({ ...explanation, files, sources }, output);
  else output.out(explained({ ...explanation, files }, sources, output.colour));
  return explanation.commandsSandboxed && explanation.probe?.ok === true ? 0 : 1;
}

async function list(json: boolean, output: Output): Promise<number> {
  const sandboxes = await ofDaemon((client) => client.call('sandbox.list', {}));
  if (json) showJson(sandboxes, output);
  else output.out(table(sandboxes, Date.now(), output.colour));
  return 0;
}

async function recreate({ options, flags }: CommandWords, json: boolean, output: Output): Promise<number> {
  refuseInsideSession('pincer sandbox recreate');
  const { agent } = options;
  if ((agent === undefined) !== flags.has('all'))
    throw usage(SHAPE, 'say whose: --agent <id>, or --all', 'pincer sandbox list shows those that run');
  const ended = await ofDaemon((client) => client.call('sandbox.recreate', agent === undefined ? {} : { agent }));
  if (json) showJson(ended, output);
  else if (ended.length === 0) output.out('no sandbox was running\n');
  else for (const { id, owner } of ended) output.out(`${id} of ${owner} has ended\n`);
  return 0;
}

/** Sandboxes end with their daemon: where none runs, there are none. */
async function ofDaemon(work: (client: Client) => Promise<readonly SandboxInfo[]>): Promise<readonly SandboxInfo[]> {
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
