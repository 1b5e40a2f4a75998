/** `pincer node`: runs this machine as a node of a gateway, and shows or forgets the pairing. */
import { hostname } from 'node:os';
import { stateFolder } from '../../../config/state.ts';
import { parseInvitation } from '../../../hosts/identity/invitation.ts';
import type { Invitation } from '../../../wire/node.ts';
import { buildOf } from '../../client/program.ts';
import type { AboutNode } from '../../node/run.ts';
import { jsonOutput, type Output, quietly } from '../../terminal/output.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { type ParsedArguments, readArguments, usage, wantsJson } from '../arguments.ts';
import { currentFolder } from '../current-folder.ts';
import { shapeOf, unknownVerb, verbsOf } from '../definition.ts';
import { readAllInput } from '../input.ts';
import { ownProgram } from '../own-program.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';
import { runCommand } from '../run-command.ts';
import { firstSignal, logTo } from '../serve/run.ts';
import { definition } from './definition.ts';
import { forgetGateway, showStatus } from './pairing.ts';
import { stateText } from './state-text.ts';

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
    return verb === 'forget' ? forgetGateway(json, output) : run(args, json, quietly(output, args.flags.has('quiet')));
  });
}

async function run({ options }: ParsedArguments, json: boolean, output: Output): Promise<number> {
  const shape = shapeOf(definition, 'run');
  const program = ownProgram();
  if (program === undefined) throw usage(shape, 'cannot determine the path of the pincer program');
  const { gateway, name, workspace, invitation } = options;
  if (gateway !== undefined && invitation !== undefined)
    throw usage(shape, '--gateway and --invitation exclude each other: the invitation contains the address');
  const signalled = firstSignal();
  const log = logTo(output);
  const runtimeDir = process.env['XDG_RUNTIME_DIR'];
  const [{ runNode }, { openOwnGateway }, { logRejections }, { dialWebSocket }] = await Promise.all([
    import('../../node/run.ts'),
    import('../../daemon/compose.ts'),
    import('../../daemon/daemon.ts'),
    import('../../../hosts/channel/carriers/websocket.ts'),
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
      given: {
        ...(gateway === undefined ? {} : { gateway }),
        ...(name === undefined ? {} : { name }),
        ...(workspace === undefined ? {} : { workspace: currentFolder(workspace, 'create the folder first') }),
      },
      ...(invitation === undefined ? {} : { invitation: invitationOf(invitation) }),
      hostName: hostname(),
      environment: { ...process.env } as Record<string, string>,
      dial: (url, signal) => dialWebSocket(url, { signal, rejectUnauthorized: false }), // both ends prove their keys
      onState: (state, about) => {
        if (json) jsonOutput(output).out(`${JSON.stringify({ ...state, ...about, pid: process.pid })}\n`);
        else output.out(`${isFirst ? aboutText(about) : ''}${stateText(state)}\n`);
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

function invitationOf(text: string): Invitation {
  return parseInvitation(text === '-' ? readAllInput().toString('utf8') : text);
}

function aboutText({ id, name, url, workspace }: AboutNode): string {
  return `node ${visibleLine(name)} (${id}), commands run in ${visibleLine(workspace)}, gateway ${visibleLine(url)}\n`;
}
