/** Toolbox options of commands that call tools, from the flags in `flags.ts`. */
import { agentName } from '../../config/agent.ts';
import { requestedClient, OPERATOR_CLIENT } from '../../wire/client-name.ts';
import type { ToolboxOptions } from '../assemble.ts';
import { configuredToolbox, type EntryOptions } from '../configured-toolbox.ts';
import { currentFolder } from './current-folder.ts';
import { type CommandShape, type ParsedArguments, usage } from './arguments.ts';

export type CommandLineOptions = Omit<EntryOptions, 'asks'>;

/** Merges the command line, the environment and the configuration files. */
export async function toolboxOptions(shape: CommandShape, words: ParsedArguments): Promise<ToolboxOptions> {
  // Heavy calls need no worker here: this process serves only this command.
  return configuredToolbox({ asks: 'operator', heavyCalls: 'here', ...commandLineOptions(shape, words) });
}

export function commandLineOptions(shape: CommandShape, { flags, options }: ParsedArguments): CommandLineOptions {
  const { conversation, model, protect, node } = options;
  if (node !== undefined) refuseWithNode(shape, flags, options);
  const tokens = options['model-context'];
  const stale = options['stale-check'];
  return {
    workspace: currentFolder(options['workspace'], 'choose a folder with --workspace, or change to one that exists'),
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
    ...(node === undefined ? {} : { node }),
    ...(model === undefined ? {} : { model }),
    ...(tokens === undefined ? {} : { modelContextWindowTokens: positiveInteger(shape, '--model-context', tokens) }),
  };
}

/** Printed where a setting, and not the command line, chose another machine. */
export function onConfiguredNode(node: string): string {
  return `this command works on the files of node ${node} (tools.fs.node)`;
}

/** A node decides itself what tools may reach and show. */
function refuseWithNode(
  shape: CommandShape,
  flags: ParsedArguments['flags'],
  options: ParsedArguments['options'],
): void {
  const name =
    ['no-workspace-only', 'show-secrets'].find((flag) => flags.has(flag)) ??
    ['protect', 'hard-links'].find((option) => options[option] !== undefined);
  if (name !== undefined)
    throw usage(shape, `--node and --${name} exclude each other`, 'the configuration of the node decides about it');
}

/** Normalizes `--client` to the form in records. */
export function clientFilter(shape: CommandShape, text: string): string {
  const client = requestedClient(text);
  if (client === undefined) throw usage(shape, `--client is not a client name: ${JSON.stringify(text)}`, CLIENT_HINT);
  return client;
}

const CLIENT_HINT = `use ${OPERATOR_CLIENT} for the command line, or a name such as claude-code`;

export function positiveInteger(shape: CommandShape, name: string, text: string): number {
  const number = Number(text);
  if (!/^\d+$/u.test(text) || !Number.isSafeInteger(number) || number < 1)
    throw usage(shape, `${name} must be a whole number of at least 1, not ${JSON.stringify(text)}`);
  return number;
}

export function oneOf<T extends string>(shape: CommandShape, name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw usage(shape, `${name} must be ${allowed.join(' or ')}, not ${JSON.stringify(value)}`);
  return found;
}
