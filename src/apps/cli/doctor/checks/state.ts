/** The state folder and what stands in it: for its owner alone. */
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { quoteCommand } from '../../exec/quote-command.ts';
import { type Check, fail, type Finding, ok, type DoctorContext, skip } from '../check.ts';
import { isOwn, modeText, setMode, lstatIfExists } from './own-file.ts';

/** What Pincer itself puts there; a folder with anything else is none of which we may change the mode. */
const OWN_NAMES =
  /^(?:locks|tickets|journal|staged|changes|reads|line-counts|daemon|sessions|serve|mcp|init|exec-approvals\.json.*|gateway\.db.*|\..*)$/u;

export const state: Check = {
  id: 'state',
  run({ stateDir, home }) {
    const there = lstatIfExists(stateDir);
    if (there === undefined) return missingFolder(stateDir);
    if (there.isSymbolicLink())
      return fail(`${stateDir} is a symbolic link`, 'name the folder itself in PINCER_STATE_DIR');
    if (!there.isDirectory()) return fail(`${stateDir} is not a folder`, 'name another folder in PINCER_STATE_DIR');
    if (!isOwn(there))
      return fail(`${stateDir} belongs to another user`, 'name a folder of your own in PINCER_STATE_DIR');
    const open = [stateDir, ...partsOf(stateDir)].filter((path) => ((lstatIfExists(path)?.mode ?? 0) & 0o077) !== 0);
    if (open.length === 0) return ok(`${stateDir} is yours alone`);
    const mayMend = isPincerFolder(stateDir, home);
    return open.map((path) => openFolder(path, mayMend));
  },
};

function openFolder(path: string, mayMend: boolean): Finding {
  return {
    status: 'fail',
    message: `others may enter ${path} (mode ${modeText(lstatIfExists(path)!)})`,
    fix: quoteCommand(['chmod', '700', path]),
    ...(mayMend ? { repair: () => setMode(path, 0o700) } : {}),
  };
}

function missingFolder(stateDir: string): readonly Finding[] {
  let parent = dirname(stateDir);
  while (!existsSync(parent)) parent = dirname(parent);
  try {
    accessSync(parent, constants.W_OK | constants.X_OK);
    return ok(`${stateDir} is not there yet; the first command that needs it makes it`);
  } catch {
    return fail(`${stateDir} cannot be made: ${parent} may not be written`, 'name another folder in PINCER_STATE_DIR');
  }
}

function partsOf(stateDir: string): readonly string[] {
  return readdirSync(stateDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && OWN_NAMES.test(entry.name))
    .map((entry) => join(stateDir, entry.name));
}

/** A PINCER_STATE_DIR that names somebody's home or /tmp by mistake is not closed to others by us. */
function isPincerFolder(stateDir: string, home: string): boolean {
  if (stateDir === home || stateDir === '/' || ((lstatIfExists(stateDir)?.mode ?? 0) & 0o1000) !== 0) return false;
  return readdirSync(stateDir).every((name) => OWN_NAMES.test(name));
}

/** Files in it that only their owner may read. */
const PRIVATE = ['exec-approvals.json', 'gateway.db', join('serve', 'token')];

export const privateFiles: Check = {
  id: 'private-files',
  run({ stateDir }: DoctorContext) {
    const found = PRIVATE.map((name) => join(stateDir, name)).filter((path) => lstatIfExists(path) !== undefined);
    if (found.length === 0) return skip('no approvals, records or tokens are kept yet');
    return found.flatMap((path) => privateFile(path));
  },
};

function privateFile(path: string): readonly Finding[] {
  const there = lstatIfExists(path)!;
  if (!there.isFile()) return fail(`${path} is no file`, `remove it: ${quoteCommand(['rm', '-r', path])}`);
  if (!isOwn(there)) return fail(`${path} belongs to another user`, `remove it, or chown it to yourself`);
  if ((there.mode & 0o077) === 0) return ok(`${path} is yours alone`);
  const renew = path.endsWith('token') ? '; others may know it, so remove it and a new one is made' : '';
  return [
    {
      status: 'fail',
      message: `others may open ${path} (mode ${modeText(there)})`,
      fix: `${quoteCommand(['chmod', '600', path])}${renew}`,
      repair: () => setMode(path, 0o600),
    },
  ];
}
