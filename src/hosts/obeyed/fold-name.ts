/** Characters that some file systems ignore in a name: HFS+ has a list, ext4 with case folding ignores more. */
const IGNORED = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/** Names that folding does not change. */
const PLAIN = /^[a-z0-9_.-]*[a-z0-9_-]$/u;

/** Normalizes a name as some file systems do: no case, ignored characters, NTFS streams, or trailing dots and blanks. */
export function foldName(name: string): string {
  if (PLAIN.test(name)) return name;
  return name
    .replace(IGNORED, '')
    .split(':', 1)[0]!
    .replace(/[ .]+$/u, '')
    .normalize('NFC')
    .toLowerCase();
}
