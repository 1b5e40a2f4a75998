/** The state folder and its files: only their owner may have access. */
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { quoteCommand } from '../../exec/quote-command.ts';
import { type Check, fail, type Finding, ok, type DoctorContext, skip } from '../check.ts';
import { isOwn, modeText, setMode, lstatIfExists } from './own-file.ts';

/** Names that pincer creates. A folder with any other name in it is not ours to chmod. */
const OWN_NAMES =
  /^(?:locks|tickets|journal|staged|changes|reads|line-counts|daemon|sessions|serve|mcp|init|node|node\.db.*|identity\.json|exec-approvals\.json.*|gateway\.db.*|\..*)$/u;

export const state: Check = {
  id: 'state',
  run({ stateDir, home }) {
    const stats = lstatIfExists(stateDir);
    if (stats === undefined) return missingFolder(stateDir);
    if (stats.isSymbolicLink()) return fail(`${stateDir} is a symlink`, 'set PINCER_STATE_DIR to the folder itself');
    if (!stats.isDirectory()) return fail(`${stateDir} is not a folder`, 'set PINCER_STATE_DIR to another folder');
    if (!isOwn(stats)) return fail(`${stateDir} belongs to another user`, 'set PINCER_STATE_DIR to your own folder');
    const open = [stateDir, ...partsOf(stateDir)].filter((path) => ((lstatIfExists(path)?.mode ?? 0) & 0o077) !== 0);
    if (open.length === 0) return ok(`${stateDir} is private`);
    const mayRepair = isPincerFolder(stateDir, home);
    return open.map((path) => openFolder(path, mayRepair));
  },
};

function openFolder(path: string, mayRepair: boolean): Finding {
  return {
    status: 'fail',
    message: `other users can access ${path} (mode ${modeText(lstatIfExists(path)!)})`,
    fix: quoteCommand(['chmod', '700', path]),
    ...(mayRepair ? { repair: () => setMode(path, 0o700) } : {}),
  };
}

function missingFolder(stateDir: string): readonly Finding[] {
  let parent = dirname(stateDir);
  while (!existsSync(parent)) parent = dirname(parent);
  try {
    accessSync(parent, constants.W_OK | constants.X_OK);
    return ok(`${stateDir} does not exist yet; the first command that needs it creates it`);
  } catch {
    return fail(`${stateDir} cannot be created: ${parent} is not writable`, 'set PINCER_STATE_DIR to another folder');
  }
}

function partsOf(stateDir: string): readonly string[] {
  return readdirSync(stateDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && OWN_NAMES.test(entry.name))
    .map((entry) => join(stateDir, entry.name));
}

/** Guards against a PINCER_STATE_DIR that is a home folder or /tmp by mistake. */
function isPincerFolder(stateDir: string, home: string): boolean {
  if (stateDir === home || stateDir === '/' || ((lstatIfExists(stateDir)?.mode ?? 0) & 0o1000) !== 0) return false;
  return readdirSync(stateDir).every((name) => OWN_NAMES.test(name));
}

/** Files that only their owner may read. */
const PRIVATE = ['exec-approvals.json', 'gateway.db', 'node.db', join('serve', 'token')];

export const privateFiles: Check = {
  id: 'private-files',
  run({ stateDir }: DoctorContext) {
    const found = PRIVATE.map((name) => join(stateDir, name)).filter((path) => lstatIfExists(path) !== undefined);
    if (found.length === 0) return skip('no approvals, records or tokens yet');
    return found.flatMap((path) => privateFile(path));
  },
};

function privateFile(path: string): readonly Finding[] {
  const stats = lstatIfExists(path)!;
  if (!stats.isFile()) return fail(`${path} is not a file`, `remove it: ${quoteCommand(['rm', '-r', path])}`);
  if (!isOwn(stats)) return fail(`${path} belongs to another user`, `remove it, or chown it to yourself`);
  if ((stats.mode & 0o077) === 0) return ok(`${path} is private`);
  const renew = path.endsWith('token') ? '; others may have read the token: remove the file to get a new one' : '';
  return [
    {
      status: 'fail',
      message: `other users can read ${path} (mode ${modeText(stats)})`,
      fix: `${quoteCommand(['chmod', '600', path])}${renew}`,
      repair: () => setMode(path, 0o600),
    },
  ];
}
