/** `pincer serve`: the server in this process, until a signal or a person ends it. */
import { resolve } from 'node:path';
import { stateFolder } from '../../../config/state.ts';
import { buildOf } from '../../client/program.ts';
import { helpOf, shapeOf } from '../definition.ts';
import { reportFailure } from '../failure.ts';
import { mcpSettings, servedTools } from '../mcp/settings.ts';
import { jsonOutput, type Output, quietly } from '../../terminal/output.ts';
import { paint } from '../../terminal/paint.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { asksForHelp, type CommandWords, readWords, usage, wantsJson, errorsAsJson } from '../arguments.ts';
import { definition } from './definition.ts';
import { ownProgram } from '../own-program.ts';

const SHAPE = shapeOf(definition);
const INTERRUPTED = 130;

export async function runServe(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  try {
    if (asksForHelp(argv)) {
      output.out(helpOf(definition));
      return 0;
    }
    const words = readWords(SHAPE, argv);
    return await run(words, json, quietly(output, words.flags.has('quiet')));
  } catch (error) {
    return reportFailure(error, errorsAsJson(argv, output), output);
  } finally {
    // It holds nothing any more: whatever still keeps the process up may not keep it for long.
    setTimeout(() => process.exit(), 2_000).unref();
  }
}

async function run(words: CommandWords, json: boolean, output: Output): Promise<number> {
  const signalled = signal();
  const options = await serveOptions(words, output);
  const [{ serve }, { welcomeLine, welcomeText }, { outliveRejections }] = await Promise.all([
    import('../../serve/serve.ts'),
    import('../../serve/welcome.ts'),
    import('../../daemon/daemon.ts'),
  ]);
  outliveRejections(options.log);
  const served = await serve(options);
  if (json) jsonOutput(output).out(welcomeLine(served.ready));
  else output.out(welcomeText(served.ready, paint(output.colour)));
  const why = await Promise.race([signalled, served.asked]);
  if (!json && !output.quiet) output.err(`pincer serve: ending (${why})\n`);
  return (await served.close()) ? 0 : 3;
}

/** Resolves with the first signal to end; a second one from the keyboard ends at once. */
function signal(): Promise<string> {
  return new Promise((leave) => {
    let first = true;
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(name, () => {
        if (!first && name === 'SIGINT') process.exit(INTERRUPTED);
        first = false;
        leave(name);
      });
  });
}

function logTo(output: Output): (text: string) => void {
  return (text) => {
    if (!output.quiet) output.err(`${new Date().toISOString()} ${visibleLine(text)}\n`);
  };
}

async function serveOptions(words: CommandWords, output: Output) {
  const program = ownProgram();
  if (program === undefined) throw usage(SHAPE, 'the server is started from a file');
  const { 'token-file': tokenFile } = words.options;
  const runtimeDir = process.env['XDG_RUNTIME_DIR'];
  const said = servedTools(SHAPE, words);
  const log = logTo(output);
  const { openOwnGateway } = await import('../../daemon/compose.ts');
  return {
    program,
    stateDir: stateFolder(),
    build: buildOf(program),
    ...(runtimeDir ? { runtimeDir } : {}),
    open: (opened: Parameters<typeof openOwnGateway>[1]) => openOwnGateway(program, opened),
    ...(await addressOf(words.options, said.workspace)),
    ...(tokenFile === undefined ? {} : { tokenFile: resolve(tokenFile) }),
    said: { ...said, environment: { ...process.env } as Record<string, string> },
    mcp: {
      ...(await mcpSettings(SHAPE, words, said.workspace, log)),
      // Whoever is a command of a session must not answer its own questions.
      asksInClient: !process.env['PINCER_SESSION'],
    },
    log,
  };
}

/** Where to listen: the command line, else the files of configuration. */
async function addressOf({ host, port }: CommandWords['options'], folder: string) {
  const said = { ...(host === undefined ? {} : { host }), ...(port === undefined ? {} : { port: portOf(port) }) };
  const [{ loadConfig }, { serveSettings }] = await Promise.all([
    import('../../../config/load/load.ts'),
    import('../../../config/server-settings.ts'),
  ]);
  return { ...serveSettings(await loadConfig({ folder, includeEnvironment: true })), ...said };
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/u.test(text) || port > 65_535)
    throw usage(SHAPE, `--port is a whole number from 0 to 65535, not ${JSON.stringify(text)}`);
  return port;
}
