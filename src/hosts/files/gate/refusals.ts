/** The faults of the boundary, with hints for callers of tools. */
import { basename } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { closedToTools } from '../../obeyed/closed-to-tools.ts';
import { splitPath } from './steps.ts';

export function outsideRoot(asked: string, root: string, why: string): Fault {
  return new Fault('FS_OUTSIDE_WORKSPACE', `${asked} is outside ${root}: ${why}`, {
    hint: 'name a file inside the workspace; only the operator can allow others',
    details: { path: asked, root },
  });
}

export function leadsTo(link: string, target: string): string {
  return `the symlink ${basename(link)} leads to ${target}`;
}

export function tooManyLinks(asked: string): Fault {
  return new Fault('FS_TOO_MANY_LINKS', `too many symlinks on the path ${asked}`, {
    hint: 'a symlink probably leads to itself; name the file itself',
    details: { path: asked },
  });
}

export function unsettled(asked: string): Fault {
  return new Fault('FS_CHANGED', `another program keeps changing a folder on the path ${asked}`, {
    hint: 'run the command again when no other program moves these folders',
    details: { path: asked },
  });
}

export function nameTooLong(asked: string, what: 'name' | 'path', bytes: number, most: number): Fault {
  const shown = asked.length > 80 ? `${asked.slice(0, 80)}…` : asked;
  return new Fault('FS_NAME_TOO_LONG', `the ${what} ${shown} has ${bytes} bytes; the limit is ${most}`, {
    hint: `choose a shorter ${what}`,
    details: { bytes, most },
  });
}

export function tooDeep(asked: string, most: number): Fault {
  const shown = asked.length > 80 ? `${asked.slice(0, 80)}…` : asked;
  return new Fault('FS_NAME_TOO_LONG', `the path ${shown} has more than ${most} names`, {
    hint: 'choose a path with fewer folders',
    details: { most },
  });
}

export function nulInName(asked: string): Fault {
  return new Fault('FS_NAME_NUL', `invalid file name: ${JSON.stringify(asked)}`, {
    hint: 'remove the NUL character from the path',
  });
}

export function nameInvalid(asked: string, why: string, hint: string): Fault {
  return new Fault('FS_NAME_INVALID', `invalid path ${JSON.stringify(asked)}: ${why}`, { hint });
}

export function linkNotUtf8(path: string): Fault {
  return new Fault('FS_NAME_INVALID', `the target of the symlink ${path} is not valid UTF-8`, {
    hint: 'name the file itself, or rename it to a name in UTF-8 and create a symlink to that',
    details: { path },
  });
}

export function isFolder(asked: string, path: string, entries: readonly string[]): Fault {
  const some = entries.slice(0, 5).join(', ');
  return new Fault('FS_IS_FOLDER', `${asked} is a folder, not a file`, {
    hint:
      entries.length === 0
        ? 'the folder is empty; name a file'
        : `name a file in it; it contains ${some}${entries.length > 5 ? ', …' : ''}`,
    details: { path, entries },
  });
}

export function irregular(asked: string, path: string, what: string): Fault {
  return new Fault('FS_NOT_REGULAR', `${asked} is ${what}; tools read and write regular files only`, {
    hint: 'name a regular file',
    details: { path, is: what },
  });
}

export function hardLinkedRead(asked: string, path: string, names: number): Fault {
  return new Fault('FS_HARD_LINKED', `${asked} has ${names} hard links, and some may be outside the workspace`, {
    hint: 'copy it to a new file inside the workspace, or ask the operator to allow hard links',
    details: { path, names },
  });
}

export function missing(asked: string, path: string, near: readonly string[]): Fault {
  return new Fault('FS_NOT_FOUND', `file not found: ${asked}`, {
    hint:
      near.length > 0 ? `the folder contains ${near.join(', ')}` : 'check the path; it is relative to the workspace',
    details: { path, near },
  });
}

export function gitProtected(path: string): Fault {
  return new Fault('FS_PROTECTED', `${path} belongs to git; tools may not write it`, {
    hint: 'change the repository with git itself, if git may write there',
    details: { path, protected: 'git' },
  });
}

export function configProtected(path: string, readAs: string): Fault {
  return new Fault('FS_PROTECTED', `${byName(path, readAs)} configures what agents may do; tools may not write it`, {
    hint: 'the operator can change it with an editor or with pincer path --file',
    details: { path, protected: 'config' },
  });
}

export function clientProtected(path: string, readAs: string): Fault {
  const names = splitPath(readAs);
  const { reader = "an agent's client", open = [], depth = names.length } = closedToTools(names) ?? {};
  const isBelow = depth < names.length && open.length > 0;
  return new Fault(
    'FS_PROTECTED',
    `${byName(path, readAs)} can make ${reader} start programs; tools may not write it`,
    {
      hint: `the operator can change it with an editor or with pincer init${isBelow ? `; in ${names[depth - 1]} tools may write ${open.join(', ')}` : ''}`,
      details: { path, protected: 'client' },
    },
  );
}

function byName(path: string, readAs: string): string {
  return path === readAs ? path : `${path} (linked as ${readAs})`;
}

export function linkProtected(path: string): Fault {
  return new Fault(
    'FS_PROTECTED',
    `${path} is a folder that programs look for and obey; tools may not create or change a symlink there`,
    {
      hint: 'choose another name for the symlink, or ask the operator to create it',
      details: { path, protected: 'link' },
    },
  );
}

export function homeProtected(path: string): Fault {
  return new Fault('FS_PROTECTED', `the user's shell, git or other programs obey ${path}; tools may not write it`, {
    hint: 'the operator can change it with an editor; write a file in another folder, without a dot at the beginning of its name',
    details: { path, protected: 'home' },
  });
}

export function programProtected(path: string): Fault {
  return new Fault('FS_PROTECTED', `${path} is part of pincer's installation; tools may not write it`, {
    hint: 'the operator installs and updates pincer with the package manager; write another file',
    details: { path, protected: 'program' },
  });
}

export function stateProtected(path: string): Fault {
  return new Fault('FS_PROTECTED', `${path} is in pincer's state folder; tools may not read or write it`, {
    hint: 'name another file',
    details: { path, protected: 'state' },
  });
}

export function unfinishedProtected(path: string): Fault {
  return new Fault('FS_PROTECTED', `${path} has a name that is reserved for temporary files of pincer`, {
    hint: 'choose a name with another ending',
    details: { path, protected: 'unfinished' },
  });
}

export function alreadyExists(path: string): Fault {
  return new Fault('FS_EXISTS', `${path} already exists; nothing was written`, {
    hint: 'choose another name, or allow overwriting',
    details: { path },
  });
}

export function notFolder(path: string): Fault {
  return new Fault('FS_NOT_FOLDER', `${path} is not a folder, so no file can be in it`, {
    hint: 'choose another path, or move that file away first',
    details: { path },
  });
}
