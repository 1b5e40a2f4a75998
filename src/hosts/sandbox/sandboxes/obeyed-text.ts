/** Messages about obeyed files that work in a sandbox created or changed, and about lost guards. */
import type { ObeyedChange } from '../../../wire/sandbox.ts';

const MOST_LISTED = 50;
const SINCE = ' since the last command, by the host or by a background process in the sandbox';
const DONE = {
  new: 'was created',
  changed: 'was changed',
  reached: 'is in a build folder that a symlink now points into',
  gone: 'was removed or moved',
} as const;

/** One sentence, without a full stop. */
export function obeyedText({
  path,
  reader,
  change,
  more = 0,
  sinceLastCommand,
  quarantined,
  restored,
  notQuarantined,
}: ObeyedChange): string {
  const subject = `${JSON.stringify(path)}${more > 0 ? ` and ${more} more` : ''}`;
  if (change === 'not-searched') return `${subject} was not searched for files that the host obeys: ${reader}`;
  if (change === 'second-name')
    return `${subject} has another hard link, through which it can be written; programs on the host obey it (${reader})`;
  const obey = change === 'gone' ? 'obeyed' : 'obey';
  const text = `${subject} ${DONE[change]}${sinceLastCommand === true ? SINCE : ''}, and programs on the host ${obey} it (${reader})`;
  if (quarantined === true && notQuarantined !== undefined)
    return `${text}; some of its files were removed, "pincer changes" lists them; the rest is still there: ${notQuarantined}`;
  if (notQuarantined !== undefined)
    return `${text}; it was not ${change === 'new' ? 'removed' : 'restored'}: ${notQuarantined}`;
  if (restored !== undefined) return `${text}; its earlier ${restored} was restored`;
  return quarantined === true ? `${text}; it was removed, "pincer changes" lists its files` : text;
}

/** Shortens a list for display: files that are still there come first, and the last item counts the rest. */
export function shortObeyed(changes: readonly ObeyedChange[]): readonly ObeyedChange[] {
  if (changes.length <= MOST_LISTED) return changes;
  const rank = ({ quarantined, notQuarantined, restored }: ObeyedChange): number =>
    notQuarantined !== undefined ? 0 : quarantined === true ? 2 : restored === undefined ? 0 : 1;
  const ordered = [...changes].sort((a, b) => rank(a) - rank(b));
  const last = ordered[MOST_LISTED - 1]!;
  return [...ordered.slice(0, MOST_LISTED - 1), { ...last, more: changes.length - MOST_LISTED + (last.more ?? 0) }];
}

/** A path that should be guarded but is writable: the host replaced the guarded file, or the file is new. */
export interface LostGuard {
  readonly path: string;
  readonly cause: 'replaced' | 'new';
}

const CAUSES = { replaced: 'was replaced on the host', new: 'is new and not guarded' } as const;

export function lostGuardText({ path, cause }: LostGuard, more = ''): string {
  return `${JSON.stringify(path)}${more} ${CAUSES[cause]}`;
}
