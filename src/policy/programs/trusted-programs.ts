import type { Binary, Rules } from '../../wire/policy.ts';
import { baseName, folderOf } from './names.ts';

const SYSTEM_FOLDERS = ['/bin', '/usr/bin'];

/** Whether a file is the system's program of this name: an agent could write another one of the same name. */
export function isSystemProgram(name: string, binary: Binary, rules: Pick<Rules, 'safeBinTrustedDirs'>): boolean {
  return baseName(binary.real) === name && !binary.writable && isInTrustedFolder(binary, rules);
}

/** Whether a program is in a system folder, or in one that the operator trusts. */
export function isInTrustedFolder(
  { real }: Binary,
  { safeBinTrustedDirs }: Pick<Rules, 'safeBinTrustedDirs'>,
): boolean {
  return [...SYSTEM_FOLDERS, ...safeBinTrustedDirs].includes(folderOf(real));
}
