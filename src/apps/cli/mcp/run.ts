/** `pincer mcp`: serves the tools to one client on standard input and output. */
import { version } from '../../../../package.json';
import { stateFolder } from '../../../config/state.ts';
import { helpOf, shapeOf } from '../definition.ts';
import type { Output } from '../../terminal/output.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { asksForHelp, readArguments } from '../arguments.ts';
import { definition } from './definition.ts';
import { mcpSettings, servedOptions } from './settings.ts';

/** Then exit even if the client does not read the last output. */
const EXIT_GRACE_MS = 3_000;

/** Serves until the client disconnects. */
export async function runMcp(argv: readonly string[], output: Output): Promise<number> {
  if (asksForHelp(argv)) {
    output.out(helpOf(definition));
    return 0;
  }
  const shape = shapeOf(definition);
  const args = readArguments(shape, argv);
  const log = (message: string): void => {
    if (!args.flags.has('quiet')) output.err(`pincer mcp: ${visibleLine(message)}\n`);
  };
  const options = servedOptions(shape, args);
  if (output.isTerminal) log('waiting for a client on standard input; pincer init configures one, Ctrl-D exits');
  const { serveWorkspace } = await import('../../mcp/stdio/serve.ts');
  await serveWorkspace(options, {
    ...(await mcpSettings(shape, args, options.workspace, log)),
    readOnly: args.flags.has('read-only'),
    // A command in a session must not answer its own approval requests.
    asksInClient: !process.env['PINCER_SESSION'],
    stateDir: stateFolder(),
    version,
    log,
  });
  setTimeout(() => process.exit(0), EXIT_GRACE_MS).unref();
  return 0;
}
