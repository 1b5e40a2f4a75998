/** `pincer mcp`: the tools for one client on standard input and output. */
import { version } from '../../../../package.json';
import { stateFolder } from '../../../config/state.ts';
import { helpOf, shapeOf } from '../definition.ts';
import type { Output } from '../../terminal/output.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { asksForHelp, readArguments } from '../arguments.ts';
import { definition } from './definition.ts';
import { mcpSettings, servedOptions } from './settings.ts';

/** How long a connection that nobody reads from may keep the process. */
const EXIT_GRACE_MS = 3_000;

/** Serves until the client leaves. */
export async function runMcp(argv: readonly string[], output: Output): Promise<number> {
  if (asksForHelp(argv)) {
    output.out(helpOf(definition));
    return 0;
  }
  const shape = shapeOf(definition);
  const words = readArguments(shape, argv);
  const log = (message: string): void => {
    if (!words.flags.has('quiet')) output.err(`pincer mcp: ${visibleLine(message)}\n`);
  };
  const said = servedOptions(shape, words);
  if (output.isTerminal) log('waits for a client on standard input; pincer init adds it to one, Ctrl-D ends it');
  const { serveWorkspace } = await import('../../mcp/stdio/serve.ts');
  await serveWorkspace(said, {
    ...(await mcpSettings(shape, words, said.workspace, log)),
    readOnly: words.flags.has('read-only'),
    // Whoever is a command of a session must not answer its own questions.
    asksInClient: !process.env['PINCER_SESSION'],
    stateDir: stateFolder(),
    version,
    log,
  });
  setTimeout(() => process.exit(0), EXIT_GRACE_MS).unref();
  return 0;
}
