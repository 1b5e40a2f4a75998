/** What the boundary refuses, each with its own code; the hints speak to whoever called a tool. */
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
  return `the link ${basename(link)} leads to ${target}`;
}

export function tooManyLinks(asked: string): Fault {
  return new Fault('FS_TOO_MANY_LINKS', `too many links on the way to ${asked}`, {
    hint: 'one of the links probably points at itself; name the file that is meant',
    details: { path: asked },
  });
}

/** Somebody swaps what stands on the way, again and again. */
export function unsettled(asked: string): Fault {
  return new Fault('FS_CHANGED', `a folder on the way to ${asked} changes all the time`, {
    hint: 'run the command again when no other program moves these folders',
    details: { path: asked },
  });
}

export function nameTooLong(asked: string, what: 'name' | 'path', bytes: number, most: number): Fault {
  const shown = asked.length > 80 ? `${asked.slice(0, 80)}…` : asked;
  return new Fault('FS_NAME_TOO_LONG', `the ${what} ${shown} has ${bytes} bytes, and ${most} is the most`, {
    hint: `choose a shorter ${what}`,
    details: { bytes, most },
  });
}

export function tooDeep(asked: string, most: number): Fault {
  const shown = asked.length > 80 ? `${asked.slice(0, 80)}…` : asked;
  return new Fault('FS_NAME_TOO_LONG', `the path ${shown} is more than ${most} names deep`, {
    hint: 'choose a path with fewer folders',
    details: { most },
  });
}

export function nulInName(asked: string): Fault {
  return new Fault('FS_NAME_NUL', `no file can have this name: ${JSON.stringify(asked)}`, {
    hint: 'take the NUL character out of the path',
  });
}

export function nameInvalid(asked: string, why: string, hint: string): Fault {
  return new Fault('FS_NAME_INVALID', `${JSON.stringify(asked)} names no file: ${why}`, { hint });
}

/** A link whose target has bytes that no path of a tool can have. */
export function linkNoText(path: string): Fault {
  return new Fault('FS_NAME_INVALID', `the link ${path} leads to a name that is no proper Unicode text`, {
    hint: 'name the file itself, or rename it to a name in UTF-8 and link to that',
    details: { path },
  });
}

export function isFolder(asked: string, path: string, entries: readonly string[]): Fault {
  const some = entries.slice(0, 5).join(', ');
  return new Fault('FS_IS_FOLDER', `${asked} is a folder, and a file is wanted`, {
    hint:
      entries.length === 0
        ? 'the folder is empty; name a file'
        : `name a file in it; it has ${some}${entries.length > 5 ? ', …' : ''}`,
    details: { path, entries },
  });
}

export function irregular(asked: string, path: string, what: string): Fault {
  return new Fault('FS_NOT_REGULAR', `${asked} is ${what}, and only regular files are read and written`, {
    hint: 'name a regular file',
    details: { path, is: what },
  });
}

export function hardLinkedRead(asked: string, path: string, names: number): Fault {
  return new Fault(
    'FS_HARD_LINKED',
    `${asked} has ${names} names (hard links), and some may stand outside the workspace`,
    {
      hint: 'copy it to a file of its own inside the workspace, or ask the operator to allow hard links',
      details: { path, names },
    },
  );
}

export function missing(asked: string, path: string, near: readonly string[]): Fault {
  return new Fault('FS_NOT_FOUND', `no such file: ${asked}`, {
    hint: near.length > 0 ? `that folder has ${near.join(', ')}` : 'check the path; it starts at the workspace',
    details: { path, near },
  });
}

export function gitProtected(path: string): Fault {
  return new Fault('FS_PROTECTED', `${path} belongs to git and is not written by tools`, {
    hint: 'change a repository with git itself, where that may write it',
    details: { path, protected: 'git' },
  });
}

export function configProtected(path: string, readAs: string): Fault {
  return new Fault('FS_PROTECTED', `${byName(path, readAs)} says what agents may do and is not written by tools`, {
    hint: 'the operator changes it, in an editor or with pincer path --file',
    details: { path, protected: 'config' },
  });
}

export function clientProtected(path: string, readAs: string): Fault {
  const names = splitPath(readAs);
  const { reader = "an agent's client", open = [], depth = names.length } = closedToTools(names) ?? {};
  const isBelow = depth < names.length && open.length > 0;
  return new Fault(
    'FS_PROTECTED',
    `${byName(path, readAs)} may make ${reader} start programs and is not written by tools`,
    {
      hint: `the operator changes it, in an editor or with pincer init${isBelow ? `; in ${names[depth - 1]} tools write ${open.join(', ')}` : ''}`,
      details: { path, protected: 'client' },
    },
  );
}

/** A file, and the link by which it is read. */
function byName(path: string, readAs: string): string {
  return path === readAs ? path : `${path}, which a link makes ${readAs},`;
}

export function linkProtected(path: string): Fault {
  return new Fault(
    'FS_PROTECTED',
    `${path} is a folder that programs look for and obey; tools neither make nor move a link there`,
    {
      hint: 'give the link another name, or ask the operator to make it',
      details: { path, protected: 'link' },
    },
  );
}

export function homeProtected(path: string): Fault {
  return new Fault(
    'FS_PROTECTED',
    `${path} is obeyed by the user's shell, git or other programs and is not written by tools`,
    {
      hint: 'the operator changes it in an editor; write a file in another folder, without a dot at the beginning of its name',
      details: { path, protected: 'home' },
    },
  );
}

export function programProtected(path: string): Fault {
  return new Fault('FS_PROTECTED', `${path} is part of Pincer's installation and is not written by tools`, {
    hint: 'the operator installs and updates Pincer with the package manager; write another file',
    details: { path, protected: 'program' },
  });
}

export function stateProtected(path: string): Fault {
  return new Fault('FS_PROTECTED', `${path} is part of Pincer's state folder, which tools neither read nor write`, {
    hint: 'name another file',
    details: { path, protected: 'state' },
  });
}

export function unfinishedProtected(path: string): Fault {
  return new Fault('FS_PROTECTED', `${path} has a name that only unfinished files of Pincer have`, {
    hint: 'choose a name that does not end like that',
    details: { path, protected: 'unfinished' },
  });
}

export function somethingThere(path: string): Fault {
  return new Fault('FS_EXISTS', `${path} exists already; nothing was written`, {
    hint: 'choose another name, or ask to replace what stands there',
    details: { path },
  });
}

/** A file stands where a folder would have to be. */
export function notFolder(path: string): Fault {
  return new Fault('FS_NOT_FOLDER', `${path} is not a folder, so nothing can stand in it`, {
    hint: 'choose another path, or move that file away first',
    details: { path },
  });
}
