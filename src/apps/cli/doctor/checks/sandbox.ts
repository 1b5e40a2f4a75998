/** Bubblewrap: there, and allowed to do what a sandbox needs; the profile is really run. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { createLookup } from '../../../../hosts/process/which.ts';
import { type Check, ok, skip, warn } from '../check.ts';

const LONGEST_MS = 10_000;

/** All namespaces, a root of its own, and nothing to gain inside. */
const PROFILE = (
  '--unshare-user --disable-userns --unshare-all --die-with-parent --new-session --cap-drop ALL --tmpfs / ' +
  '--ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --dev /dev ' +
  '--proc /proc --size 1048576 --tmpfs /tmp --remount-ro / --chdir / --clearenv true'
).split(' ');

export const bubblewrap: Check = {
  id: 'bubblewrap',
  async look({ env, folder }) {
    if (process.platform !== 'linux') return skip('bubblewrap is for Linux');
    const found = createLookup({ path: env['PATH'] ?? '', cwd: folder }).find('bwrap');
    if (found === undefined)
      return warn('bubblewrap is not installed: commands cannot be put into a sandbox', 'apt-get install bubblewrap');
    try {
      await promisify(execFile)(found.path, PROFILE, { timeout: LONGEST_MS, env: { PATH: env['PATH'] ?? '' } });
      return ok(`${found.path} runs a command in namespaces of its own`);
    } catch (error) {
      const { stderr = '', message } = error as Error & { stderr?: string };
      const said = (stderr || message).trim().split('\n', 1)[0] ?? '';
      return warn(`${found.path} cannot make a sandbox: ${JSON.stringify(said)}`, adviceFor(said));
    }
  },
};

/** Which of the usual reasons it is. */
export function adviceFor(said: string, read: (path: string) => string | undefined = contentOf): string {
  if (/unknown option/iu.test(said)) return 'install bubblewrap 0.8 or newer';
  if (read('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === '1')
    return 'AppArmor restricts user namespaces: give bwrap a profile with userns, or sysctl kernel.apparmor_restrict_unprivileged_userns=0';
  if (read('/proc/sys/kernel/unprivileged_userns_clone') === '0') return 'sysctl kernel.unprivileged_userns_clone=1';
  if (read('/proc/sys/user/max_user_namespaces') === '0') return 'sysctl user.max_user_namespaces=10000';
  if (read('/.dockerenv') !== undefined || read('/run/.containerenv') !== undefined)
    return 'in a container: docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined';
  return 'run bwrap --unshare-user --ro-bind / / true as this user, and see what the kernel log says';
}

function contentOf(path: string): string | undefined {
  try {
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
  } catch {
    return undefined; // not for us to read: then it is not known to be the reason
  }
}
