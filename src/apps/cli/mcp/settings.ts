/** Options of `mcp` and `serve`, from the command line and the configuration files. */
import { statSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import { hasConfig } from '../../../config/config-files.ts';
import { PRESETS, type PresetName } from '../../mcp/presets/names.ts';
import { oneOf, type CommandLineOptions, commandLineOptions } from '../toolbox-options.ts';
import type { CommandShape, ParsedArguments } from '../arguments.ts';

/** Fails immediately if the workspace does not exist. */
export function servedOptions(shape: CommandShape, words: ParsedArguments): CommandLineOptions {
  const options = commandLineOptions(shape, words);
  if (statSync(options.workspace, { throwIfNoEntry: false })?.isDirectory() === true) return options;
  throw new Fault('FS_NOT_FOUND', `folder not found: ${options.workspace}`, {
    hint: 'choose a folder with --workspace',
  });
}

export interface McpSettings {
  readonly preset?: PresetName;
  readonly sessionsOnClose?: 'keep' | 'end';
}

/** Settings of the server: the flag wins over the configuration files. An invalid file is logged and ignored. */
export async function mcpSettings(
  shape: CommandShape,
  { options }: ParsedArguments,
  folder: string,
  log: (message: string) => void,
): Promise<McpSettings> {
  const { preset } = options;
  const flag = preset === undefined ? {} : { preset: oneOf(shape, '--preset', preset, PRESETS) };
  if (!hasConfig(folder)) return flag;
  try {
    const { config } = await (await import('../../../config/load/load.ts')).loadConfig({
      folder,
      includeEnvironment: true,
    });
    return { ...config.mcp, ...flag };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    log(error.message);
    return flag;
  }
}
