/** What is said of files that the host obeys and that work in a sandbox made or changed. */
import type { ObeyedChange } from '../../../wire/sandbox.ts';

/** More are counted. */
const MOST_LISTED = 50;
const SINCE = ' since the last command, by this machine or by a process that a command left behind';
const DONE = {
  new: 'was created',
  changed: 'was changed',
  reached: 'is in a build folder that a link leads into now',
  gone: 'was removed or moved away',
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
    return `${subject} has a second name (hard link), through which it can be written; programs on the host obey it (${reader})`;
  const obey = change === 'gone' ? 'obeyed' : 'obey';
  const text = `${subject} ${DONE[change]}${sinceLastCommand === true ? SINCE : ''}, and programs on the host ${obey} it (${reader})`;
  if (quarantined === true && notQuarantined !== undefined)
    return `${text}; a part of it was taken away, and pincer changes lists its files; the rest is still there: ${notQuarantined}`;
  if (notQuarantined !== undefined)
    return `${text}; it was not ${change === 'new' ? 'taken away' : 'restored'}: ${notQuarantined}`;
  if (restored !== undefined) return `${text}; it has its ${restored} from before again`;
  return quarantined === true ? `${text}; it was taken away, and pincer changes lists its files` : text;
}

/** A list short enough to be shown; those that are still there come first, and the last one counts the rest. */
export function shortObeyed(changes: readonly ObeyedChange[]): readonly ObeyedChange[] {
  if (changes.length <= MOST_LISTED) return changes;
  const rank = ({ quarantined, notQuarantined, restored }: ObeyedChange): number =>
    notQuarantined !== undefined ? 0 : quarantined === true ? 2 : restored === undefined ? 0 : 1;
  const ordered = [...changes].sort((a, b) => rank(a) - rank(b));
  const last = ordered[MOST_LISTED - 1]!;
  return [...ordered.slice(0, MOST_LISTED - 1), { ...last, more: changes.length - MOST_LISTED + (last.more ?? 0) }];
}
