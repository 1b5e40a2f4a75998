/** The file of a systemd user unit. Pincer replaces and removes only what it wrote, unless it is forced. */
import { lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { homeFolder } from '../../config/state.ts';
import { writePrivate } from '../../hosts/files/write-private.ts';
import { markOf, type Unit, type UnitCommand, unitName, unitText } from './unit-text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const LONGEST = 64 * 1024;

export function unitPath(command: UnitCommand, env: Environment = process.env): string {
  const shared = env['XDG_CONFIG_HOME'];
  const folder = shared && isAbsolute(shared) ? shared : join(homeFolder(env), '.config');
  return join(folder, 'systemd', 'user', unitName(command));
}

/** Undefined where there is no file. `isOurs` is false for a symlink or the file of another author. */
export function readUnit(
  path: string,
  command: UnitCommand,
): { readonly text: string; readonly isOurs: boolean } | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile() || stats.size > LONGEST) return { text: '', isOurs: false };
  const text = readFileSync(path, 'utf8');
  return { text, isOurs: text.startsWith(markOf(command)) };
}

/** Atomically. Returns whether it replaced an earlier one. */
export function writeUnit(path: string, unit: Unit, force: boolean): boolean {
  const text = unitText(unit);
  mkdirSync(dirname(path), { recursive: true });
  const check = (): void => void mayReplace(path, unit.command, force);
  const isReplaced = mayReplace(path, unit.command, force);
  writePrivate(path, text, { durable: true, check });
  return isReplaced;
}

/** Returns false where there is no such file. */
export function removeUnit(path: string, command: UnitCommand, force: boolean): boolean {
  if (!mayReplace(path, command, force)) return false;
  const enabled = join(dirname(path), 'default.target.wants', unitName(command));
  if (!force && lstatSync(enabled, { throwIfNoEntry: false }) !== undefined)
    throw new Fault('UNIT_ENABLED', `${unitName(command)} is enabled, and systemd may have started it`, {
      hint: `systemctl --user disable --now ${unitName(command)}, then run this again`,
      details: { path },
    });
  rmSync(path);
  return true;
}

function mayReplace(path: string, command: UnitCommand, force: boolean): boolean {
  const found = readUnit(path, command);
  if (found?.isOurs === false && !force)
    throw new Fault('UNIT_FOREIGN', `${path} was not written by pincer`, {
      hint: 'keep it, or replace it with --force',
      details: { path },
    });
  return found !== undefined;
}
