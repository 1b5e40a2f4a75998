/** Whether Codex runs a hook: it keeps the hooks that its user has trusted in the user's own file. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readClientFile } from './client-file.ts';

/** Where Codex keeps its files. */
interface CodexHome {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Why Codex does not run the hooks of a file; undefined where one of them was trusted, in this form or an earlier one. */
export function untrustedByCodex(hooksFile: string, { home, env }: CodexHome): string | undefined {
  const config = join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml');
  // Codex writes [hooks.state."<file>:pre_tool_use:0:0"], with the hash of the hook that was trusted.
  const isKnown = existsSync(config) && readClientFile(config).includes(`${hooksFile}:pre_tool_use:`);
  return isKnown ? undefined : 'Codex does not run the hook before you trust it: start codex and type /hooks';
}
