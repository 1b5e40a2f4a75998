/** `pincer completion`: a script for a shell, and the ids that the script asks for. */
import { COMMANDS } from '../commands.ts';
import { helpOf, shapeOf, unknownVerb } from '../definition.ts';
import { gatewayCommand, operatorCaller, withGateway } from '../gateway.ts';
import type { Output } from '../../terminal/output.ts';
import { readArguments, usage } from '../arguments.ts';
import { Fault } from '../../../base/fault.ts';
import { definition } from './definition.ts';
import { scopesOf } from './scopes.ts';

const SHAPE = shapeOf(definition);
/** Shells expand what they are given to choose from. */
const PLAIN = /^[\w-]+$/u;
/** Nobody chooses from more. */
const MOST_IDS = 200;

export function runCompletion(argv: readonly string[], output: Output): Promise<number> {
  return gatewayCommand(argv, output, { help: () => helpOf(definition) }, async () => {
    const [shell = '', kind, extra] = readArguments(SHAPE, argv).positionals;
    // Not in the help: only the scripts say it.
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

/** One id a line, newest first; none where no daemon runs, which is not started for this. */
async function printIds(kind: string | undefined, output: Output): Promise<number> {
  if (kind !== 'session' && kind !== 'approval') throw usage(SHAPE, 'ids are those of session or approval');
  try {
    const ids = await withGateway(async (client) => {
      if (kind === 'session')
        return (await client.call('session.list', { caller: operatorCaller() })).map((session) => session.id);
      return (await client.call('approval.list', { state: 'pending', limit: MOST_IDS })).map(({ slug }) => slug);
    }, false);
    const plain = ids.filter((id) => PLAIN.test(id)).slice(0, MOST_IDS);
    output.out(plain.map((id) => `${id}\n`).join(''));
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'GATEWAY_NOT_RUNNING') throw error;
  }
  return 0;
}
