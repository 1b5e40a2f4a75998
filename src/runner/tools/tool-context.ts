/** Makes the context of a file tool from the settings of its call: on this machine, in a worker, and in a sandbox. */
import { type FilesOptions, type LocalFiles, localFiles } from '../../hosts/files/files.ts';
import type { Author, Files } from '../../hosts/files/shape.ts';
import type { ToolContext } from '../../tools/tool.ts';
import type { ToolCallSettings } from '../../wire/tool.ts';

export interface ToolPlaces extends Pick<FilesOptions, 'lockWaitMs' | 'lockDeadline'> {
  readonly workspace: string;
  readonly stateDir: string;
  readonly home: string;
  readonly author: Author;
}

/** Opens the workspace, which pins it. */
export function toolFiles(
  { workspace, ...places }: ToolPlaces,
  { hardLinks = 'refuse', workspaceOnly = true, protect, durable }: ToolCallSettings,
): LocalFiles {
  return localFiles({
    cwd: workspace,
    ...places,
    hardLinks,
    workspaceOnly,
    searchAhead: true,
    ...(protect === undefined ? {} : { protect }),
    ...(durable === undefined ? {} : { durable }),
  });
}

/** The rest of the context. Loads what only some tools need when they need it. */
export async function toolContext(
  { stateDir, author }: Pick<ToolPlaces, 'stateDir' | 'author'>,
  settings: ToolCallSettings,
  files: Files,
): Promise<ToolContext> {
  const { modelContextWindowTokens, showSecrets, secrets, staleCheck: onStale = 'advise', imageLimits } = settings;
  const reads =
    onStale === 'off'
      ? undefined
      : (await import('../../hosts/files/cache/reads.ts')).readMemory({
          stateDir,
          workspace: files.workspace,
          reader: author,
          onStale,
        });
  return {
    files,
    media: async () => (await import('../../hosts/media/media.ts')).media(imageLimits),
    ...(modelContextWindowTokens === undefined ? {} : { modelContextWindowTokens }),
    ...(reads === undefined ? {} : { reads }),
    ...(showSecrets === undefined ? {} : { showSecrets }),
    ...(secrets === undefined ? {} : { secrets }),
  };
}
