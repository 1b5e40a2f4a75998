/** What a command line says about the tools that an agent is served, and what the files of configuration add to it. */
import { statSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import { hasConfig } from '../../../config/config-files.ts';
import { PRESETS, type PresetName } from '../../mcp/presets/names.ts';
import { oneOf, type CommandLineOptions, saidOnCommandLine } from '../operator.ts';
import type { CommandShape, CommandWords } from '../arguments.ts';

/** The tools that a client is served; one that starts a server in a folder that is not there should hear it at once. */
export function servedTools(shape: CommandShape, words: CommandWords): CommandLineOptions {
  const said = saidOnCommandLine(shape, words);
  if (statSync(said.workspace, { throwIfNoEntry: false })?.isDirectory() === true) return said;
  throw new Fault('FS_NOT_FOUND', `there is no folder ${said.workspace}`, { hint: 'choose a folder with --workspace' });
}

export interface McpSettings {
  readonly preset?: PresetName;
  readonly sessionsOnClose?: 'keep' | 'end';
}

/** What holds for the server itself: the flag, else the files of configuration. A broken file is told of, and says nothing. */
export async function mcpSettings(
  shape: CommandShape,
  { options }: CommandWords,
  folder: string,
  log: (message: string) => void,
): Promise<McpSettings> {
  const said = options['preset'];
  const flag = said === undefined ? {} : { preset: oneOf(shape, '--preset', said, PRESETS) };
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
