import { isAbsolute, sep } from 'node:path';
import { isInside } from '../../../base/inside.ts';
import { relativeInside } from '../../relative-inside.ts';
import { actorText, isOfClient } from '../../../wire/actor.ts';
import type { Author, ChangeFilter, Changes, RecordedChange, ReversalOptions } from '../shape.ts';
import { fileDiff } from './diff.ts';
import {
  byGroups,
  filesOf,
  findChange,
  groupOf,
  historyOf,
  isInEffect,
  MOST_CHANGES,
  recordedGroup,
  type StoredChange,
} from './history.ts';
import { chooseRedo, chooseUndo, type UndoScope } from './choose.ts';
import { type ChangesOptions, type ReversalSetting, reverse } from './reversal.ts';

export function openChanges(options: ChangesOptions): Changes {
  const { stateDir, workspace, author } = options;
  const nameOf = (path: string): string => nameInside(workspace, path);
  const history = historyOf(stateDir, workspace);
  const setting: ReversalSetting = { ...options, nameOf, history };
  const shown = (group: readonly StoredChange[]): RecordedChange => recordedGroup(group, nameOf);
  const groupWith = (id: string): readonly StoredChange[] | undefined => {
    const known = history();
    const found = findChange(known, id);
    return found && groupOf(known, found);
  };
  return {
    author,
    list: (filter = {}) => {
      const limit = filter.limit ?? MOST_CHANGES;
      return byGroups(history())
        .filter((group) => group.some((change) => passes(change, filter)))
        .slice(0, limit)
        .map(shown);
    },
    find: (id) => {
      const found = groupWith(id);
      return found === undefined ? undefined : shown(found);
    },
    diff: (id) => {
      const kept = groupWith(id)?.toReversed().map(filesOf);
      if (kept === undefined || !kept.every((files) => files !== undefined)) return undefined;
      return kept.flatMap((files) => files.map((file) => fileDiff(file, nameOf)));
    },
    undo: (ids, how = {}) => reverse('undo', (known) => chooseUndo(known, ids, scopeOf(author, how)), setting, how),
    redo: (ids, how = {}) => reverse('redo', (known) => chooseRedo(known, ids, scopeOf(author, how)), setting, how),
  };
}

/** The operator may undo every change; others only those of the same agent through the same client. */
function scopeOf(author: Author, { operator, agentPrefix }: ReversalOptions): UndoScope {
  if (operator === true) return { includes: () => true, author: '' };
  if (agentPrefix !== undefined)
    return { includes: ({ header }) => header.agent.startsWith(agentPrefix), author: `an agent ${agentPrefix}…` };
  return {
    includes: ({ header }) => header.agent === author.agent && header.client === author.client,
    author: actorText(author),
  };
}

function passes(change: StoredChange, filter: ChangeFilter): boolean {
  const { header } = change;
  const { since, agent, client, conversation, path, inEffect } = filter;
  return (
    (inEffect === undefined || isInEffect(change)) &&
    (since === undefined || header.time >= since) &&
    (agent === undefined || header.agent === agent) &&
    (client === undefined || isOfClient(header, client)) &&
    (conversation === undefined || header.conversation === conversation) &&
    (path === undefined ||
      header.files.some((file) => isInside(file.path, path, sep) || isInside(file.movedTo ?? '', path, sep)))
  );
}

/** Relative to the workspace, with `/`; absolute if it is outside, or if the record is not of a folder. */
function nameInside(workspace: string, path: string): string {
  if (!isAbsolute(workspace)) return path;
  return relativeInside(workspace, path)?.split(sep).join('/') || path;
}
