import { isAbsolute, sep } from 'node:path';
import { isInside } from '../../../base/inside.ts';
import { relativeInside } from '../../relative-inside.ts';
import { actorText, isOfClient } from '../../../wire/actor.ts';
import type { Author, ChangeFilter, Changes, RecordedChange, ReversalOptions } from '../shape.ts';
import { fileDiff } from './diff.ts';
import {
  filesOf,
  findChange,
  historyOf,
  isStanding,
  MOST_CHANGES,
  recordedChange,
  type StoredChange,
} from './history.ts';
import { chooseRedo, chooseUndo, type Reach } from './choose.ts';
import { type ChangesOptions, type ReversalSetting, reverse } from './reversal.ts';

/** The record of a workspace's changes, and the way back. */
export function openChanges(options: ChangesOptions): Changes {
  const { stateDir, workspace, author } = options;
  const nameOf = (path: string): string => nameInside(workspace, path);
  const history = historyOf(stateDir, workspace);
  const setting: ReversalSetting = { ...options, nameOf, history };
  const shown = (change: StoredChange): RecordedChange => recordedChange(change, nameOf);
  return {
    author,
    list: (filter = {}) => {
      const limit = filter.limit ?? MOST_CHANGES;
      return history()
        .filter((change) => passes(change, filter))
        .slice(0, limit)
        .map(shown);
    },
    find: (id) => {
      const found = findChange(history(), id);
      return found === undefined ? undefined : shown(found);
    },
    diff: (id) => {
      const found = findChange(history(), id);
      return found === undefined ? undefined : filesOf(found)?.map((file) => fileDiff(file, nameOf));
    },
    undo: (ids, how = {}) => reverse('undo', (known) => chooseUndo(known, ids, reachOf(author, how)), setting, how),
    redo: (ids, how = {}) => reverse('redo', (known) => chooseRedo(known, ids, reachOf(author, how)), setting, how),
  };
}

/** The operator reaches every change; anybody else what the same agent did through the same client. */
function reachOf(author: Author, { operator }: ReversalOptions): Reach {
  if (operator === true) return { of: () => true, whose: '' };
  return {
    of: ({ header }) => header.agent === author.agent && header.client === author.client,
    whose: actorText(author),
  };
}

function passes(change: StoredChange, filter: ChangeFilter): boolean {
  const { header } = change;
  const { since, agent, client, conversation, path, standing } = filter;
  return (
    (standing === undefined || isStanding(change)) &&
    (since === undefined || header.time >= since) &&
    (agent === undefined || header.agent === agent) &&
    (client === undefined || isOfClient(header, client)) &&
    (conversation === undefined || header.conversation === conversation) &&
    (path === undefined ||
      header.files.some((file) => isInside(file.path, path, sep) || isInside(file.movedTo ?? '', path, sep)))
  );
}

/** From the workspace, with `/`; absolute when it stands outside, and in a record that is no folder's. */
function nameInside(workspace: string, path: string): string {
  if (!isAbsolute(workspace)) return path;
  return relativeInside(workspace, path)?.split(sep).join('/') || path;
}
