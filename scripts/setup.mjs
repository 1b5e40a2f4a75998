// @ts-check
/** Makes a bare clone ready: the npm packages of the lock file, and the Debian packages that some suites need. */
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './run.mjs';

/**
 * @typedef {Record<string, { version?: string, integrity?: string, optional?: boolean, devOptional?: boolean }>} Packages
 * @typedef {{ name: string, command: string, suites: readonly string[] }} DebianPackage
 */

const OLDEST_NODE = [20, 19];

/**
 * Debian packages that suites need, with the program each brings. A suite whose package is missing and cannot be
 * installed is not run and is counted as skipped.
 * @type {readonly DebianPackage[]}
 */
export const DEBIAN_PACKAGES = [
  ...programs(['tmux'], ['tests/apps/cli/attach.test.ts', 'tests/apps/init/wizard.test.ts']),
  ...programs(['vim'], ['tests/apps/cli/attach.test.ts', 'tests/page/browser/sessions-vim.test.ts']),
  ...programs(['less'], ['tests/apps/cli/attach.test.ts']),
  ...programs(['zsh', 'fish'], ['tests/apps/cli/completion/scripts.test.ts']),
  ...programs(['groff', 'mandoc'], ['tests/apps/cli/manual/pages.test.ts']),
  ...programs(
    ['nats-server'],
    [
      'tests/apps/node/fleet-machines.test.ts',
      'tests/apps/node/nats-machines.test.ts',
      'tests/apps/node/nats-quorum.test.ts',
      'tests/apps/node/takeover-machines.test.ts',
      'tests/apps/node/violations.test.ts',
      'tests/contracts/carriers-nats.test.ts',
      'tests/hosts/nodes/fleet/inbox.test.ts',
      'tests/hosts/nodes/fleet/nats-gateway.test.ts',
      'tests/hosts/nodes/fleet/permissions.test.ts',
      'tests/hosts/nodes/fleet/revocation.test.ts',
      'tests/hosts/nodes/fleet/shared-nodes.test.ts',
      'tests/hosts/nodes/fleet/takeover.test.ts',
    ],
  ),
  // The font comes with the browser: without one, every text is as wide as its boxes.
  { name: 'chromium', command: 'chromium', suites: ['tests/page/browser/**'] },
  { name: 'fonts-dejavu-core', command: 'chromium', suites: [] },
  // Suites of sandboxes look for themselves what works on a machine, and say what does not.
  { name: 'bubblewrap', command: 'bwrap', suites: [] },
  { name: 'docker.io', command: 'dockerd', suites: [] },
  { name: 'podman', command: 'podman', suites: [] },
  { name: 'runc', command: 'runc', suites: [] },
  { name: 'catatonit', command: 'catatonit', suites: [] },
  { name: 'busybox-static', command: 'busybox', suites: [] },
];

/** Packages with the name of the program in them. @param {readonly string[]} names @param {readonly string[]} suites */
function programs(names, suites) {
  return names.map((name) => ({ name, command: name, suites }));
}

/** @param {string} version such as `20.19.0` */
export function nodeIsTooOld(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldMajor = 0, oldMinor = 0] = OLDEST_NODE;
  return major < oldMajor || (major === oldMajor && minor < oldMinor);
}

/**
 * Whether what stands in node_modules is what the lock file asks for. Compared by content, since a fresh checkout
 * gives the lock file a new time without changing it.
 * @param {Packages} wanted @param {Packages} installed
 */
export function installIsCurrent(wanted, installed) {
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue;
    const present = installed[path];
    if (present === undefined) {
      if (entry.optional === true || entry.devOptional === true) continue; // for another platform
      return false;
    }
    if (present.version !== entry.version || present.integrity !== entry.integrity) return false;
  }
  return true;
}

/** @param {string} file @returns {Packages | undefined} */
function packagesOf(file) {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // cut off by an interrupted install
    throw error;
  }
}

/** Installs the npm packages when they are missing or differ from the lock file. @param {string} root */
export async function ensurePackages(root) {
  if (nodeIsTooOld(process.versions.node)) {
    throw new Error(`Pincer needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}.`);
  }
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  if (wanted === undefined) throw new Error('package-lock.json is missing or broken.');
  if (installed !== undefined && installIsCurrent(wanted, installed)) return;
  console.log('Installing the npm packages …');
  const result = await run(...npm('ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'), { cwd: root });
  if (result.code !== 0) throw new Error(`npm ci failed with exit code ${result.code}.\n${result.output}`);
}

/**
 * Installs the other versions of Node that the built program is tried with; the suite runs with those that are there.
 * @param {string} root
 */
export async function ensureOtherNodes(root) {
  if (process.platform !== 'linux' || process.arch !== 'x64') return;
  const folder = join(root, 'e2e');
  const wanted = packagesOf(join(folder, 'package-lock.json'));
  const installed = packagesOf(join(folder, 'node_modules', '.package-lock.json'));
  if (wanted === undefined || (installed !== undefined && installIsCurrent(wanted, installed))) return;
  console.log('Installing e2e/: other versions of Node, and programs that are tested with …');
  const result = await run(...npm('ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'), {
    cwd: folder,
  });
  if (result.code !== 0)
    console.log(
      `Not run: tests/scenarios/other-nodes.test.ts, e2e (npm ci in e2e/ failed with exit code ${result.code}).`,
    );
}

/**
 * The npm that started us, or the one on the PATH.
 * @param {string[]} args @returns {[string, string[]]}
 */
function npm(...args) {
  const self = process.env['npm_execpath'];
  return self?.endsWith('.js') ? [process.execPath, [self, ...args]] : ['npm', args];
}

/** @param {string} command */
function isOnPath(command) {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => folder !== '' && existsSync(join(folder, command)));
}

/**
 * Installs missing Debian packages when it may. Gives those that are still missing.
 * @param {readonly DebianPackage[]} table
 * @returns {Promise<DebianPackage[]>}
 */
export async function ensureDebianPackages(table = DEBIAN_PACKAGES) {
  const missing = table.filter((entry) => !isOnPath(entry.command));
  if (missing.length === 0) return [];
  const names = missing.map((entry) => entry.name);
  if (process.getuid?.() === 0 && isOnPath('apt-get')) {
    console.log(`Installing the Debian packages ${names.join(', ')} …`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const install = () => run('apt-get', ['install', '-y', '--no-install-recommends', ...names], { env });
    let result = await install();
    if (result.code !== 0) {
      await run('apt-get', ['update'], { env });
      result = await install();
    }
    if (result.code !== 0) console.log(`apt-get failed with exit code ${result.code}.\n${lastLines(result.output, 5)}`);
  }
  const still = missing.filter((entry) => !isOnPath(entry.command));
  if (still.length > 0) console.log(missingLine(still));
  return still;
}

/** @param {string} text @param {number} count */
function lastLines(text, count) {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}

/** @param {readonly DebianPackage[]} missing */
export function missingLine(missing) {
  const suites = missing.flatMap((entry) => entry.suites);
  const names = missing.map((entry) => entry.name);
  return `Not run: ${suites.join(', ')} (missing: ${names.join(', ')}; apt-get install ${names.join(' ')}).`;
}
