/** `pincer node`: runs this machine as a node of a gateway, and shows or forgets the pairing. */
import { hostname } from 'node:os';
import { stateFolder } from '../../../config/state.ts';
import { buildOf } from '../../client/program.ts';
import { noGateway, ownSettings } from '../../node/own-settings.ts';
import type { AboutNode } from '../../node/state-file.ts';
import { jsonOutput, type Output, quietly } from '../../terminal/output.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { type ParsedArguments, readArguments, usage, wantsJson } from '../arguments.ts';
import { shapeOf, unknownVerb, verbsOf } from '../definition.ts';
import { ownProgram } from '../own-program.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';
import { runCommand } from '../run-command.ts';
import { firstSignal, logTo } from '../serve/run.ts';
import { definition } from './definition.ts';
import { dial, discover } from './dial.ts';
import { type GivenNode, givenOf } from './given.ts';
import { confirm, forgetGateway, pair, rotate, storedPairing } from './pairing.ts';
import { showStatus } from './status.ts';
import { comparisonText, CONFIRM_TEXT, stateText } from './state-text.ts';

const FORM = ['--json', '--human', '--quiet', '-q'];

export function runNodeCommand(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return runCommand(definition, argv, output, async () => {
    // Flags may precede the verb: `pincer node --json status`.
    const at = argv.findIndex((arg) => !FORM.includes(arg));
    if (at < 0) throw usage(shapeOf(definition), 'the argument <verb> is missing');
    const verb = argv[at]!;
    if (verbsOf(definition).every(({ name }) => name !== verb)) throw unknownVerb(definition, verb);
    const args = readArguments(shapeOf(definition, verb), argv.toSpliced(at, 1));
    if (verb === 'status') return showStatus(json, output);
    refuseInsideSession(`pincer node ${verb}`);
    if (verb === 'forget') return forgetGateway(json, output);
    if (verb === 'rotate') return rotate(json, output);
    if (verb === 'confirm') return confirm(args.positionals.join(''), json, output);
    const given = givenOf(verb, args);
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
  if (settings.gateway === undefined && (await storedPairing(stateFolder())) === undefined) throw noGateway();
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
  let isFirst = true;
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
        else
          output.out(
            `${isFirst ? aboutText(about) : ''}${state.state === 'pending' ? comparisonText(state.code) : `${stateText(state)}\n${state.state === 'connected' && !about.confirmed ? CONFIRM_TEXT : ''}`}`,
          );
        isFirst = false;
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

function aboutText({ id, name, url, workspace }: AboutNode): string {
  return `node ${visibleLine(name)} (${id}), commands run in ${visibleLine(workspace)}, gateway ${visibleLine(url)}\n`;
}
