/** Reads the environment that the profile of a login shell sets. A profile may hang, fail or print anything. */
import { spawn } from 'node:child_process';

const PATIENCE_MS = 15_000;
/** A program that the profile left running may keep the output open; the shell's own output has arrived by then. */
const LINGER_MS = 100;
/** The environment comes last, so earlier output of the profile can be dropped. */
const KEPT_BYTES = 1 << 20;
const MOST_BYTES = 64 << 20;

/** Assignments as `NAME=value`; empty where the shell did not print them. */
export function environmentOfLogin(
  shell: string,
  env: Readonly<Record<string, string>> & { readonly HOME: string },
  patienceMs = PATIENCE_MS,
): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const child = spawn(shell, ['-l', '-c', "printf '\\0'; env -0"], {
      env,
      cwd: env.HOME,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    let pieces: Buffer[] = [];
    let kept = 0;
    let received = 0;
    let linger: NodeJS.Timeout | undefined;
    const finish = (): void => {
      clearTimeout(patience);
      clearTimeout(linger);
      child.stdout.destroy();
      resolve(Buffer.concat(pieces).toString('utf8').split('\0').slice(1));
    };
    const giveUp = (): void => {
      // Without a pid there is no process, and -0 would be this process's own group.
      if (child.pid !== undefined && child.pid > 1 && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, 'SIGKILL');
      finish();
    };
    const patience = setTimeout(giveUp, patienceMs);
    child.stdout.on('data', (bytes: Buffer) => {
      pieces.push(bytes);
      kept += bytes.length;
      received += bytes.length;
      if (received > MOST_BYTES) return giveUp();
      if (kept <= 2 * KEPT_BYTES) return;
      pieces = [Buffer.concat(pieces).subarray(-KEPT_BYTES)];
      kept = KEPT_BYTES;
    });
    child.once('error', finish); // there is no such shell, or no such folder
    child.once('exit', () => (linger = setTimeout(finish, LINGER_MS)));
    child.once('close', finish);
  });
}
