/** `pincer node`: runs this machine as a node of a gateway, and shows or forgets the pairing. */
import { hostname } from 'node:os';
import { stateFolder } from '../../../config/state.ts';
import { buildOf } from '../../client/program.ts';
import type { NodeState } from '../../node/gateway-connections.ts';
import { readPairing } from '../../node/node-store.ts';
import { noGateway, ownSettings } from '../../node/own-settings.ts';
import type { AboutNode } from '../../node/state-file.ts';
import { jsonOutput, type Output, quietly } from '../../terminal/output.ts';
import { type ParsedArguments, readArguments, usage, wantsJson, verbIndex } from '../arguments.ts';
import { shapeOf, unknownVerb, verbsOf } from '../definition.ts';
import { ownProgram } from '../own-program.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';
import { runCommand } from '../run-command.ts';
import { firstSignal, logTo } from '../serve/run.ts';
import { definition } from './definition.ts';
import { dial, discover } from './dial.ts';
import { type GivenNode, givenOf } from './given.ts';
import { confirm, forgetGateway, pair, rotate } from './pairing.ts';
import { showStatus } from './status.ts';
import { addressText, comparisonText, CONFIRM_TEXT, rowText, stateText, termsRows } from './state-text.ts';

export function runNodeCommand(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return runCommand(definition, argv, output, async () => {
    const at = verbIndex(argv);
    if (at < 0) throw usage(shapeOf(definition), 'the argument <verb> is missing');
    const verb = argv[at]!;
    if (verbsOf(definition).every(({ name }) => name !== verb)) throw unknownVerb(definition, verb);
    const args = readArguments(shapeOf(definition, verb), argv.toSpliced(at, 1));
    if (verb === 'status') return showStatus(json, output);
    refuseInsideSession(`pincer node ${verb}`);
    if (verb === 'forget') return forgetGateway(json, output);
    if (verb === 'rotate') return rotate(json, output);
    if (verb === 'confirm') return confirm(args.positionals.join(''), json, output);
    const given = givenOf(verb, args, output);
    if (verb === 'install' || verb === 'uninstall') return unit(verb, given, args, json, output);
    return verb === 'pair' ? pair(given, json, output) : run(given, json, quietly(output, args.flags.has('quiet')));
  });
}

async function unit(
  verb: 'install' | 'uninstall',
  { given: { name, workspace } }: GivenNode,
  { flags }: ParsedArguments,
  json: boolean,
  output: Output,
): Promise<number> {
  const { install, uninstall } = await import('../unit/run.ts');
  const force = flags.has('force');
  if (verb === 'uninstall') return uninstall('node', force, json, output);
  const { settings } = await ownSettings(workspace === undefined ? {} : { workspace }, hostname());
  const args = [
    'node',
    'run',
    ...(name === undefined ? [] : ['--name', name]),
    ...(workspace === undefined ? [] : ['--workspace', workspace]),
  ];
  if (settings.gateway === undefined && (await readPairing(stateFolder())) === undefined) throw noGateway();
  const dryRun = flags.has('dry-run');
  return install({ command: 'node', args, folder: settings.workspace, force, dryRun }, json, output);
}

async function run(given: GivenNode, json: boolean, output: Output): Promise<number> {
  const program = ownProgram();
  if (program === undefined) throw usage(shapeOf(definition, 'run'), 'cannot determine the path of the pincer program');
  const signalled = firstSignal();
  const log = logTo(output);
  const runtimeDir = process.env['XDG_RUNTIME_DIR'];
  const [{ runNode }, { openOwnGateway }, { logRejections }] = await Promise.all([
    import('../../node/run.ts'),
    import('../../daemon/compose.ts'),
    import('../../daemon/daemon.ts'),
  ]);
  logRejections(log);
  let shown: readonly string[] = [];
  try {
    const node = await runNode({
      program,
      stateDir: stateFolder(),
      build: buildOf(program),
      ...(runtimeDir ? { runtimeDir } : {}),
      open: (opened) => openOwnGateway(program, opened),
      log,
      ...given,
      hostName: hostname(),
      environment: { ...process.env } as Record<string, string>,
      dial,
      discover,
      onState: (state, about) => {
        if (json) jsonOutput(output).out(`${JSON.stringify({ ...state, ...about, pid: process.pid })}\n`);
        else {
          const lines = aboutLines(about);
          const news = lines.filter((line) => !shown.includes(line));
          output.out(`${news.join('')}${progressText(state, about)}`);
          shown = lines;
        }
      },
    });
    try {
      const why = await Promise.race([signalled, node.stopRequested]);
      if (!json && !output.quiet) output.err(`pincer node: stopping (${why})\n`);
    } catch (error) {
      await node.close();
      throw error;
    }
    return (await node.close()) ? 0 : 3;
  } finally {
    // Everything is closed. Exit even if a handle is still open.
    setTimeout(() => process.exit(), 2_000).unref();
  }
}

/** What is in effect. It may change: the gateway names the node, and settings take effect at once. */
function aboutLines(about: AboutNode): readonly string[] {
  const { id, name } = about;
  return [['node', `${name} (${id})`] as const, ['gateway', addressText(about)] as const, ...termsRows(about)].map(
    rowText,
  );
}

function progressText(state: NodeState, { confirmed }: AboutNode): string {
  if (state.state === 'pending') return comparisonText(state.code);
  return `${stateText(state)}\n${state.state === 'connected' && !confirmed ? CONFIRM_TEXT : ''}`;
}
