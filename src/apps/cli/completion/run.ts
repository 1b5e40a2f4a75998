/** `pincer completion`: prints a completion script, or the ids that the script requests. */
import { COMMANDS } from '../commands.ts';
import { shapeOf, unknownVerb } from '../definition.ts';
import { MOST_LISTED_BYTES, operatorCaller } from '../gateway.ts';
import { ifRunning } from '../if-running.ts';
import { runCommand } from '../run-command.ts';
import type { Output } from '../../terminal/output.ts';
import { readArguments, usage } from '../arguments.ts';
import { definition } from './definition.ts';
import { scopesOf } from './scopes.ts';

const SHAPE = shapeOf(definition);
/** Shells expand candidates, so only plain ids are offered. */
const PLAIN = /^[\w-]+$/u;
const MOST_IDS = 200;

export function runCompletion(argv: readonly string[], output: Output): Promise<number> {
  return runCommand(definition, argv, output, async () => {
    const [shell = '', kind, extra] = readArguments(SHAPE, argv).positionals;
    // Not in the help: only the scripts call it.
    if (shell === 'ids') return printIds(kind, output);
    if (kind !== undefined) throw usage(SHAPE, `unexpected argument ${JSON.stringify(extra ?? kind)}`);
    const scopes = scopesOf(await Promise.all(COMMANDS.map((command) => command.load())));
    output.out(await scriptOf(shell, scopes));
    return 0;
  });
}

async function scriptOf(shell: string, scopes: ReturnType<typeof scopesOf>): Promise<string> {
  switch (shell) {
    case 'bash':
      return (await import('./bash.ts')).bashScript(scopes);
    case 'zsh':
      return (await import('./zsh.ts')).zshScript(scopes);
    case 'fish':
      return (await import('./fish.ts')).fishScript(scopes);
    default:
      throw unknownVerb(definition, shell);
  }
}

/** One id per line, newest first; none if no daemon runs. */
async function printIds(kind: string | undefined, output: Output): Promise<number> {
  if (kind !== 'session' && kind !== 'approval') throw usage(SHAPE, 'the kind of ids must be session or approval');
  const ids = await ifRunning(async (client) => {
    if (kind === 'session')
      return (await client.call('session.list', { caller: operatorCaller() })).map((session) => session.id);
    return (await client.call('approval.list', { state: 'pending', limit: MOST_IDS, maxBytes: MOST_LISTED_BYTES })).map(
      ({ slug }) => slug,
    );
  });
  const plain = (ids ?? []).filter((id) => PLAIN.test(id)).slice(0, MOST_IDS);
  output.out(plain.map((id) => `${id}\n`).join(''));
  return 0;
}
