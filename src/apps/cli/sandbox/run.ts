/** `pincer sandbox`: explains, lists and recreates sandboxes, and opens a shell in one. */
import { resolve } from 'node:path';
import { shapeOf, unknownVerb } from '../definition.ts';
import { operatorCaller, withGateway } from '../gateway.ts';
import { runCommand } from '../run-command.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';
import type { Output } from '../../terminal/output.ts';
import { ifRunning } from '../if-running.ts';
import { printJson } from '../print-json.ts';
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
  // As the agent, not as the operator: the operator may use elevated without being on its list.
  const { operator: _, ...caller } = operatorCaller(options['agent'], options['conversation']);
  const restrictions = await (await import('../../../config/load/environment.ts')).environmentRestrictions(process.env);
  const params = { caller, folder, ...(restrictions === undefined ? {} : { restrictions }) };
  const explanation = await withGateway((client) => client.call('sandbox.explain', params));
  const [{ settingSources }, { renderExplanation }, { filesIn }] = await Promise.all([
    import('./setting-sources.ts'),
    import('./render-explanation.ts'),
    import('../../posture.ts'),
  ]);
  const { sandboxed, settings, probe } = explanation;
  const unavailable = probe?.ok === false ? { unavailable: probe.message } : {};
  const files = await filesIn(folder, caller, sandboxed ? { sandbox: { ...settings, ...unavailable } } : {});
  const sources = await settingSources(folder, caller.agent);
  if (json) printJson(output, { ...explanation, files, sources });
  else output.out(renderExplanation({ ...explanation, files }, sources, output.colour));
  return explanation.commandsSandboxed && explanation.probe?.ok === true ? 0 : 1;
}

async function list(json: boolean, output: Output): Promise<number> {
  const sandboxes = (await ifRunning((client) => client.call('sandbox.list', {}))) ?? [];
  if (json) printJson(output, sandboxes);
  else output.out(sandboxTable(sandboxes, Date.now(), output.colour));
  return 0;
}

async function recreate({ options, flags }: ParsedArguments, json: boolean, output: Output): Promise<number> {
  refuseInsideSession('pincer sandbox recreate');
  const { agent } = options;
  if ((agent === undefined) !== flags.has('all'))
    throw usage(SHAPE, 'recreate needs --agent <id> or --all', 'pincer sandbox list shows the running sandboxes');
  // Sandboxes end with their daemon: if none runs, there is no sandbox.
  const whose = agent === undefined ? {} : { agent };
  const ended = (await ifRunning((client) => client.call('sandbox.recreate', whose))) ?? [];
  if (json) printJson(output, ended);
  else if (ended.length === 0) output.out('no sandbox is running\n');
  else for (const { id, owner } of ended) output.out(`ended ${id} of ${owner}\n`);
  return 0;
}
