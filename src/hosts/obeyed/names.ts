/** Names as file systems compare them. */

/** Characters that some file systems do not see in a name: HFS+ has a list, ext4 with folded case leaves out more. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/** Most names are as they are compared. */
const PLAIN = /^[a-z0-9_.-]*[a-z0-9_-]$/u;

/** The name that some file system takes this one for: without case, unseen characters, NTFS streams, and dots and blanks at its end. */
export function foldName(name: string): string {
  if (PLAIN.test(name)) return name;
  return name
    .replace(UNSEEN, '')
    .split(':', 1)[0]!
    .replace(/[ .]+$/u, '')
    .normalize('NFC')
    .toLowerCase();
}
