/** What the operator says about a workspace on the command line, the same for all commands that call tools. */
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { agentName } from '../../config/agent.ts';
import type { ToolboxOptions } from '../assemble.ts';
import { type CommandShape, type CommandWords, usage } from './words.ts';

export const WORKSPACE_FLAGS = ['--json', '--human', '--no-workspace-only', '--show-secrets', '--allow-undo'];
export const WORKSPACE_OPTIONS = [
  '--workspace',
  '--agent',
  '--conversation',
  '--model-context',
  '--hard-links',
  '--protect',
  '--stale-check',
];

/** The options of a toolbox as the command line and the environment say them. */
export function toolboxOptions(shape: CommandShape, { flags, options }: CommandWords): ToolboxOptions {
  const confined = !flags.has('no-workspace-only');
  const conversation = options['conversation'];
  const tokens = options['model-context'];
  return {
    workspace: workspaceFolder(options['workspace']),
    workspaceOnly: confined,
    // What agents are offered is no matter of the operator's own command line.
    applyPatch: { workspaceOnly: confined },
    agent: options['agent'] ?? agentName(),
    allowUndo: flags.has('allow-undo'),
    showSecrets: flags.has('show-secrets'),
    hardLinks: oneOf(shape, '--hard-links', options['hard-links'] ?? 'refuse', ['refuse', 'in-place'] as const),
    staleCheck: oneOf(shape, '--stale-check', options['stale-check'] ?? 'off', ['off', 'advise', 'refuse'] as const),
    ...(options['protect'] === undefined
      ? {}
      : { protect: oneOf(shape, '--protect', options['protect'], ['none'] as const) }),
    ...(conversation === undefined ? {} : { conversation }),
    ...(tokens === undefined ? {} : { modelContextWindowTokens: count(shape, '--model-context', tokens) }),
  };
}

/** A whole number, at least 1. */
export function count(shape: CommandShape, name: string, text: string): number {
  const number = Number(text);
  if (!/^\d+$/u.test(text) || !Number.isSafeInteger(number) || number < 1)
    throw usage(shape, `${name} is a whole number above 0, not ${JSON.stringify(text)}`);
  return number;
}

function oneOf<T extends string>(shape: CommandShape, name: string, value: string, allowed: readonly T[]): T {
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
