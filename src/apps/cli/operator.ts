/** What the operator says about a workspace on the command line (`flags.ts`), the same for all commands that call tools. */
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { agentName } from '../../config/agent.ts';
import { requestedClient, OPERATOR_CLIENT } from '../../wire/client-name.ts';
import type { ToolboxOptions } from '../assemble.ts';
import { configuredToolbox, type EntryOptions } from '../configured.ts';
import { type CommandShape, type CommandWords, usage } from './arguments.ts';

/** What the command line says of a toolbox. */
export type CommandLineOptions = Omit<EntryOptions, 'asks'>;

/** The options of a toolbox as the command line, the environment and the files of configuration say them. */
export async function toolboxOptions(shape: CommandShape, words: CommandWords): Promise<ToolboxOptions> {
  // One process for one command: it may take what the machine has, and nobody else waits for it.
  return configuredToolbox({ asks: 'operator', heavyCalls: 'here', ...saidOnCommandLine(shape, words) });
}

/** The tools as they are asked for. */
export function saidOnCommandLine(shape: CommandShape, { flags, options }: CommandWords): CommandLineOptions {
  const { conversation, model, protect } = options;
  const tokens = options['model-context'];
  const stale = options['stale-check'];
  return {
    workspace: workspaceFolder(options['workspace']),
    ...(flags.has('no-workspace-only') ? { workspaceOnly: false } : {}),
    agent: options['agent'] ?? agentName(),
    allowUndo: flags.has('allow-undo'),
    showSecrets: flags.has('show-secrets'),
    hardLinks: oneOf(shape, '--hard-links', options['hard-links'] ?? 'refuse', ['refuse', 'in-place'] as const),
    ...(stale === undefined
      ? {}
      : { staleCheck: oneOf(shape, '--stale-check', stale, ['off', 'advise', 'refuse'] as const) }),
    ...(protect === undefined ? {} : { protect: oneOf(shape, '--protect', protect, ['none'] as const) }),
    ...(conversation === undefined ? {} : { conversation }),
    ...(model === undefined ? {} : { model }),
    ...(tokens === undefined ? {} : { modelContextWindowTokens: count(shape, '--model-context', tokens) }),
  };
}

/** The client that `--client` names, in the form that records have. */
export function clientFilter(shape: CommandShape, text: string): string {
  const client = requestedClient(text);
  if (client === undefined) throw usage(shape, `--client names no client: ${JSON.stringify(text)}`, CLIENT_HINT);
  return client;
}

const CLIENT_HINT = `it is ${OPERATOR_CLIENT} for the command line, or a name such as claude-code`;

/** A whole number, at least 1. */
export function count(shape: CommandShape, name: string, text: string): number {
  const number = Number(text);
  if (!/^\d+$/u.test(text) || !Number.isSafeInteger(number) || number < 1)
    throw usage(shape, `${name} is a whole number above 0, not ${JSON.stringify(text)}`);
  return number;
}

/** One of the words that an option may be. */
export function oneOf<T extends string>(shape: CommandShape, name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((word) => word === value);
  if (found === undefined) throw usage(shape, `${name} is ${allowed.join(' or ')}, not ${JSON.stringify(value)}`);
  return found;
}

/** Someone may have removed the folder that the shell stands in. */
function workspaceFolder(named: string | undefined): string {
  try {
    return resolve(named ?? '.');
  } catch (error) {
    throw new Fault('FS_NOT_FOUND', 'the working folder does not exist any more', {
      hint: 'choose a folder with --workspace, or go to one that exists',
      cause: error,
    });
  }
}
