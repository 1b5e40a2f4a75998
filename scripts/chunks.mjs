// @ts-check
/**
 * The chunks of the built program. Files that are loaded together are one chunk, because each chunk costs about half a
 * millisecond. An entry is a file or a folder of `src/`, and brings the files that it imports statically, as far as no
 * earlier chunk has them: what several chunks share comes first.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const CHUNKS = {
  start: ['apps/cli/main.ts', 'text/lines/eol.ts', 'wire/schema.ts', 'apps/cli/flags.ts', 'apps/cli/print-json.ts'],
  scan: ['text/scan/'],
  client: ['hosts/channel/', 'apps/client/connect.ts', 'apps/cli/gateway.ts', 'apps/cli/exec/run.ts'],
  recording: ['hosts/files/changes/recorder.ts', 'hosts/files/cache/reads.ts', 'hosts/files/locks/locks.ts'],
  calling: [
    'apps/assemble.ts',
    'apps/cli/call/run.ts',
    'apps/cli/files/run.ts',
    'apps/cli/toolbox-options.ts',
    'wire/json-schema.ts',
  ],
  definitions: ['apps/cli/*/definition.ts'],
  read: ['tools/read.ts', 'tools/read/text.ts'],
  edit: ['tools/edit.ts', 'tools/edit/', 'tools/write.ts', 'text/edit/'],
  writer: ['hosts/files/write/', 'hosts/files/batch/'],
  settings: [
    'config/exec-settings.ts',
    'config/sandbox-settings.ts',
    'config/load/load.ts',
    'hosts/approvals/file.ts',
    'hosts/process/programs/which.ts',
    'apps/posture.ts',
  ],
  jsonc: ['text/kinds/jsonc/jsonc.ts'],
  clients: ['apps/init/survey.ts', 'apps/hook/own-tools.ts'],
  status: ['apps/cli/status/', 'config/problems.ts', 'config/contradictions.ts'],
};

/**
 * A test for paths in `src/`, with slashes. A `*` in an entry is any name.
 * @param {string} entry
 */
export function chunkPattern(entry) {
  const path = entry.replaceAll('.', '\\.').replaceAll('*', '[^/]+');
  return new RegExp(`^${path}${entry.endsWith('/') ? '' : '$'}`, 'u');
}
