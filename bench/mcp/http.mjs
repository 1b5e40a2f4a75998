// @ts-check
/** `pincer serve` for the time of a measurement. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * Starts the server on a free port.
 * @param {{ program: string, workspace: string, environment: Record<string, string> }} options
 */
export async function serving({ program, workspace, environment }) {
  const args = [program, 'serve', '--workspace', workspace, '--port', '0', '--json'];
  const child = spawn(process.execPath, args, {
    cwd: workspace,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'close').then(([code]) => Promise.reject(new Error(`pincer serve ended with ${code}`)));
  const [line] = await Promise.race([once(lines, 'line'), ended]);
  const { url, tokenFile } = /** @type {{ url: string, tokenFile: string }} */ (JSON.parse(line));
  return {
    url,
    token: readFileSync(tokenFile, 'utf8').trim(),
    async stop() {
      child.kill('SIGTERM');
      await ended.catch(() => undefined);
    },
  };
}
