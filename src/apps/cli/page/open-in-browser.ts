/** Opens a login link in the browser of the person at this terminal. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemProgram } from '../../../hosts/process/programs/system-program.ts';
import { writePrivate } from '../../../hosts/files/write-private.ts';

/** What a program needs to find the desktop and the browser's profile. Nothing that names a program is passed on. */
const PASSED_ON = /^(?:DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS|HOME|LANG|LC_\w+|USER|XDG_\w+)$/u;
const SYSTEM_PATH = '/usr/bin:/bin';

/** Failing to open is no error: the link is printed. */
export function openInBrowser(url: string, stateDir: string, env: NodeJS.ProcessEnv = process.env): void {
  const isDesktop = process.platform === 'darwin' || Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY']);
  const program = isDesktop ? systemProgram(process.platform === 'darwin' ? 'open' : 'xdg-open') : undefined;
  if (program === undefined) return;
  // Every user of this machine sees the arguments of a process, so the link is in a private file.
  const file = join(stateDir, 'serve', 'open-page.html');
  try {
    writePrivate(file, redirect(url));
    const kept = Object.entries(env).filter(([name]) => PASSED_ON.test(name));
    const child = spawn(program, [pathToFileURL(file).href], {
      env: { ...Object.fromEntries(kept), PATH: SYSTEM_PATH },
      cwd: '/',
      stdio: 'ignore',
      detached: true,
    });
    child.on('error', () => undefined);
    child.unref();
  } catch {
    // the link is printed
  }
}

/** The URL is built by `URL`, which escapes quotes and angle brackets. */
function redirect(url: string): string {
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${url}"><title>Pincer</title>\n`;
}
