import { Fault } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';

/** The errno of a system error (`ENOENT`, …); undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof Fault) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : undefined;
}

/** The fault for a failed read of `path`; returns an error that is not a system error unchanged. */
export function readFault(error: unknown, path: string): unknown {
  switch (errnoOf(error)) {
    case undefined:
      return error;
    case 'ENOENT':
    case 'ENOTDIR':
      return notFound(path);
    case 'ERR_INVALID_ARG_VALUE':
      return new Fault('FS_NOT_FOUND', `invalid file name: ${JSON.stringify(path)}`, {
        hint: 'remove the NUL character from the name',
        cause: error,
      });
    case 'ENXIO':
      return notRegular(path, 'a socket or device');
    case 'EACCES':
    case 'EPERM':
      return new Fault('FS_UNREADABLE', `no permission to read ${path}`, {
        hint: 'set read permission on the file and search permission on its folders',
        cause: error,
      });
    default:
      return new Fault('FS_UNREADABLE', `cannot read ${path}: ${reason(error)}`, { cause: error });
  }
}

export function notFound(path: string, near: readonly string[] = []): Fault {
  const hint =
    near.length > 0
      ? `the folder contains ${near.join(', ')}`
      : 'check the name; --cwd sets the folder of relative names, --file names a file anywhere';
  return new Fault('FS_NOT_FOUND', `file not found: ${path}`, { hint, details: { path, near } });
}

export function notRegular(path: string, what: string): Fault {
  return new Fault('OC_PATH_FILE_NOT_REGULAR', `not a regular file: ${path} is ${what}`, {
    hint:
      what === 'a folder'
        ? 'name a file inside it; an address quotes such a name: oc://"folder/file.md"/section'
        : 'copy the content into a file first',
    details: { path },
  });
}

export function outsideWorkspace(slot: string, root: string, why: string): Fault {
  return new Fault('FS_OUTSIDE_WORKSPACE', `${slot} is outside ${root}: ${why}`, {
    hint: 'name that file with --file, or choose another folder with --cwd',
    details: { slot, root },
  });
}

export function fileChanged(path: string): Fault {
  return new Fault('FS_CHANGED', `${path} was changed by another program since it was read; nothing was written`, {
    hint: 'run the command again',
    details: { path },
  });
}

export function stateUnusable(stateDir: string, why: string, cause?: unknown): Fault {
  return new Fault('FS_STATE_UNUSABLE', `cannot use the state folder ${stateDir}: ${why}`, {
    hint: 'set PINCER_STATE_DIR to your own private folder',
    details: { stateDir },
    cause,
  });
}

/** The fault for a failed write to `path`; returns an error that is not a system error unchanged. */
export function writeFault(error: unknown, path: string): unknown {
  const code = errnoOf(error);
  if (code === undefined) return error;
  if (code === 'ENOENT') return notFound(path);
  return new Fault('FS_WRITE_FAILED', `cannot write ${path}: ${reason(error)}; the old content stays`, {
    hint: WRITE_HINTS[code] ?? 'nothing was changed; remove the cause and run the command again',
    details: { path, errno: code },
    cause: error,
  });
}

/** The write succeeded, but its fsync failed: the new content might not survive a power failure. */
export function notDurable(error: unknown, path: string): Fault {
  return new Fault('FS_NOT_DURABLE', `${path} was written, but not flushed to the disk: ${reason(error)}`, {
    hint: 'the file has its new content; check the disk',
    details: { path },
    cause: error,
  });
}

const WRITE_HINTS: Readonly<Record<string, string>> = {
  ENOSPC: 'free some space on that disk and run the command again',
  EDQUOT: 'your disk quota is used up; free some space and run the command again',
  EROFS: 'the file system is mounted read-only',
  EACCES: 'writing needs permission on the file and on its folder',
  EPERM: 'writing needs permission on the file and on its folder',
  EBUSY: 'the file is a mount point and cannot be replaced',
};

/** The message of a system error without the system call and the internal path. */
export function reason(error: unknown): string {
  const message = messageOf(error);
  return message.replace(/, \w+(?: '.*)?$/su, '');
}
