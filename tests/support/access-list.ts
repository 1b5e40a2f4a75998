/** Access lists and extended attributes through Python, which has the calls that Node has not. */
import { spawnSync } from 'node:child_process';

/** Tags of the entries of a list, as the kernel numbers them. */
const OWNER = 1;
const USER = 2;
const GROUP = 4;
const MASK = 16;
const OTHER = 32;

const PACK = `import os, struct, sys
entries = [(${OWNER}, 6, -1), (${USER}, 6, 999), (${GROUP}, 0, -1), (${MASK}, 6, -1), (${OTHER}, 0, -1)]
value = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
for path in sys.argv[1:]:
    os.setxattr(path, "system.posix_acl_access", value)
    os.setxattr(path, "user.note", b"kept")`;

const READ = `import os, sys
for path in sys.argv[1:]:
    print(",".join(sorted(name + "=" + os.getxattr(path, name).hex() for name in os.listxattr(path))))`;

/** Does what `setfacl -m u:999:rw` does to a file of mode 0600, and adds an attribute; false where that cannot be done. */
export function shareWithUser999(...paths: readonly string[]): boolean {
  return spawnSync('python3', ['-c', PACK, ...paths]).status === 0;
}

/** All attributes of each file, the access list among them, as one line of text. */
export function attributesOf(...paths: readonly string[]): readonly string[] {
  return spawnSync('python3', ['-c', READ, ...paths], { encoding: 'utf8' })
    .stdout.trimEnd()
    .split('\n');
}
