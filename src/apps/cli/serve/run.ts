/** `pincer serve` and `pincer gateway`: run the HTTP server until a signal or `daemon stop`. */
import { resolve } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { stateFolder } from '../../../config/state.ts';
import { buildOf } from '../../client/program.ts';
import { type CommandDefinition, helpOf, shapeOf } from '../definition.ts';
import { reportFailure } from '../failure.ts';
import { mcpSettings, servedOptions } from '../mcp/settings.ts';
import { jsonOutput, type Output, quietly } from '../../terminal/output.ts';
import { paint } from '../../terminal/paint.ts';
import { visibleLine } from '../../terminal/visible.ts';
import {
  asksForHelp,
  type CommandShape,
  type ParsedArguments,
  readArguments,
  usage,
  wantsJson,
  errorsAsJson,
  verbIndex,
} from '../arguments.ts';
import { isStdoutReadAtOnce } from './link-output.ts';
import { gateway, serve } from './definition.ts';
import { UNIT_VERBS } from '../flags.ts';
import { ownProgram } from '../own-program.ts';
import { runCommand } from '../run-command.ts';
import { userName } from '../user-name.ts';

const INTERRUPTED = 130;

export function runServe(argv: readonly string[], output: Output): Promise<number> {
  return runServer(serve, argv, output);
}

export function runGateway(argv: readonly string[], output: Output): Promise<number> {
  const at = verbIndex(argv);
  const verb = UNIT_VERBS.find(({ name }) => name === argv[at])?.name;
  return verb === undefined
    ? runServer({ ...gateway, flags: serve.flags }, argv, output)
    : runCommand(gateway, argv, output, () => runUnit(verb, argv.toSpliced(at, 1), output));
}

async function runUnit(verb: string, argv: readonly string[], output: Output): Promise<number> {
  const { install, uninstall } = await import('../unit/run.ts');
  const shape = shapeOf(gateway, verb);
  const args = readArguments(shape, argv);
  const { options, flags } = args;
  const json = wantsJson(argv, output.isTerminal);
  const force = flags.has('force');
  if (verb === 'uninstall') return uninstall('gateway', force, json, output);
  const { workspace } = servedOptions(shape, args);
  await addressesOf(gateway.name, shape, options, workspace); // throws where no node could connect
  const { 'token-file': tokenFile } = options;
  const given = { ...options, workspace, ...(tokenFile === undefined ? {} : { 'token-file': resolve(tokenFile) }) };
  const words = [
    ...Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
    ...(flags.has('allow-undo') ? ['--allow-undo'] : []),
  ];
  const dryRun = flags.has('dry-run');
  return install({ command: 'gateway', args: ['gateway', ...words], folder: workspace, force, dryRun }, json, output);
}

async function runServer(definition: CommandDefinition, argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  try {
    if (asksForHelp(argv)) {
      output.out(helpOf(definition));
      return 0;
    }
    const shape = shapeOf(definition);
    const args = readArguments(shape, argv);
    return await run(shape, args, json, quietly(output, args.flags.has('quiet')));
  } catch (error) {
    return reportFailure(error, errorsAsJson(argv, output), output);
  } finally {
    // Everything is closed. Exit even if a handle is still open.
    setTimeout(() => process.exit(), 2_000).unref();
  }
}

async function run(shape: CommandShape, args: ParsedArguments, json: boolean, output: Output): Promise<number> {
  const signalled = firstSignal();
  const options = await serveOptions(shape, args, output);
  const [{ serve: startServer }, { welcomeLine, welcomeText }, { logRejections }] = await Promise.all([
    import('../../serve/serve.ts'),
    import('../../serve/welcome.ts'),
    import('../../daemon/daemon.ts'),
  ]);
  logRejections(options.log);
  const served = await startServer(options);
  if (json) jsonOutput(output).out(welcomeLine(served.ready));
  else output.out(welcomeText(served.ready, paint(output.colour)));
  const why = await Promise.race([signalled, served.stopRequested]);
  if (!json && !output.quiet) output.err(`pincer ${shape.command}: stopping (${why})\n`);
  return (await served.close()) ? 0 : 3;
}

/** Resolves with the first signal. A second Ctrl-C exits immediately. */
export function firstSignal(): Promise<string> {
  return new Promise((resolveSignal) => {
    let first = true;
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(name, () => {
        if (!first && name === 'SIGINT') process.exit(INTERRUPTED);
        first = false;
        resolveSignal(name);
      });
  });
}

export function logTo(output: Output): (text: string) => void {
  return (text) => {
    if (!output.quiet) output.err(`${new Date().toISOString()} ${visibleLine(text)}\n`);
  };
}

async function serveOptions(shape: CommandShape, args: ParsedArguments, output: Output) {
  const program = ownProgram();
  if (program === undefined) throw usage(shape, 'cannot determine the path of the pincer program');
  const { 'token-file': tokenFile } = args.options;
  const runtimeDir = process.env['XDG_RUNTIME_DIR'];
  const said = servedOptions(shape, args);
  const log = logTo(output);
  const { openOwnGateway } = await import('../../daemon/compose.ts');
  const { nodes, ...address } = await addressesOf(shape.command, shape, args.options, said.workspace);
  return {
    program,
    stateDir: stateFolder(),
    build: buildOf(program),
    ...(runtimeDir ? { runtimeDir } : {}),
    open: (opened: Parameters<typeof openOwnGateway>[1]) => openOwnGateway(program, opened, nodes),
    ...(nodes === undefined ? {} : { mustBeOwn: true as const }),
    ...address,
    ...(tokenFile === undefined ? {} : { tokenFile: resolve(tokenFile) }),
    entry: { ...said, environment: { ...process.env } as Record<string, string> },
    mcp: {
      ...(await mcpSettings(shape, args, said.workspace, log)),
      // A command in a session must not answer its own approval requests.
      asksInClient: !process.env['PINCER_SESSION'],
    },
    ...(process.env['PINCER_SESSION'] ? {} : linkReader(log)),
    log,
  };
}

/** A file or the journal would keep the link, and its readers could log in within ten minutes. */
function linkReader(log: (text: string) => void): { readonly linkFor?: string } {
  if (isStdoutReadAtOnce()) return { linkFor: userName() };
  log('no login link is printed to a file or the journal; for the control page, run pincer page');
  return {};
}

/** The command line wins over the configuration files. */
async function addressesOf(
  command: string,
  shape: CommandShape,
  { host, port }: ParsedArguments['options'],
  folder: string,
) {
  const flags = {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port: portOf(shape, port) }),
  };
  const [{ loadConfig }, { natsSettings, nodeListenSettings, serveSettings }] = await Promise.all([
    import('../../../config/load/load.ts'),
    import('../../../config/server-settings.ts'),
  ]);
  const config = await loadConfig({ folder, includeEnvironment: true });
  return { ...serveSettings(config), ...flags, nodes: command === gateway.name ? access() : undefined };

  function access() {
    const [listen, nats] = [nodeListenSettings(config), natsSettings(config)];
    if (listen === undefined && nats === undefined) throw noAddress();
    if (listen?.tls === 'proxy' && nats !== undefined) throw proxyAndNats();
    return { ...(listen === undefined ? {} : { listen }), ...(nats === undefined ? {} : { nats }) };
  }
}

function portOf(shape: CommandShape, text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/u.test(text) || port > 65_535)
    throw usage(shape, `--port must be a whole number from 0 to 65535, not ${JSON.stringify(text)}`);
  return port;
}

/** Gateways on NATS share all nodes that are not bound to one of them, and only one gateway is behind the proxy. */
function proxyAndNats(): Fault {
  return new Fault('CONFIG_INVALID', 'nodes.tls "proxy" cannot be used together with gateway.cluster.nats', {
    hint: 'remove nodes.listen and invite nodes over NATS, or set nodes.tls to "own"',
  });
}

function noAddress(): Fault {
  return new Fault(
    'NODE_NOT_LISTENING',
    'nodes.listen and gateway.cluster.nats are not set, so no node could connect',
    {
      hint: 'pincer config set nodes.listen 127.0.0.1:7463; without nodes, run pincer serve',
    },
  );
}
