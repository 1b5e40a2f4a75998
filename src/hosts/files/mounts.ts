import { statfsSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { readFault } from './faults.ts';

/** File systems that are a view of the kernel and hold no files of anybody's. */
const KERNEL_VIEWS: ReadonlyMap<number, string> = new Map([
  [0x9fa0, 'procfs'],
  [0x62656572, 'sysfs'],
  [0x27e0eb, 'cgroup'],
  [0x63677270, 'cgroup2'],
  [0x64626720, 'debugfs'],
  [0x74726163, 'tracefs'],
  [0x73636673, 'securityfs'],
  [0xcafe4a11, 'bpf'],
  [0x62656570, 'configfs'],
  [0x1cd1, 'devpts'],
  [0x6165676c, 'pstore'],
  [0xde5e81e4, 'efivarfs'],
  [0xf97cff8c, 'selinuxfs'],
  [0x43415d53, 'smackfs'],
  [0x42494e4d, 'binfmt_misc'],
  [0x19800202, 'mqueue'],
  [0x6e736673, 'nsfs'],
  [0x65735543, 'fusectl'],
]);

/**
 * Refuses what stands on a file system of the kernel's: reading there tells secrets of processes, and writing there
 * steers the machine. Asked only where a mount begins; the file system of the root itself is the operator's choice.
 */
export function refuseSpecialMount(at: string, path: string): void {
  if (process.platform !== 'linux') return;
  let type: number;
  try {
    type = statfsSync(at).type >>> 0;
  } catch (error) {
    throw readFault(error, path);
  }
  const name = KERNEL_VIEWS.get(type);
  if (name === undefined) return;
  throw new Fault('FS_SPECIAL_MOUNT', `${path} stands on ${name}, a view of the kernel and not a place for files`, {
    hint: 'name a file on an ordinary file system',
    details: { path, mount: name },
  });
}
