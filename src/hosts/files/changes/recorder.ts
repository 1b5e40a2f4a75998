import type { Author } from '../shape.ts';
import type { OpenRecord, RecordedStep, Recorder } from './recorder-shape.ts';
import { reason } from '../faults.ts';
import { keepFile, keepMetadata, recordedBytes } from './keep-file.ts';
import { type KeptFile, MOST_KEPT, MOST_WHOLE } from './kept-file.ts';
import { appendRecord, KEPT_LIMITS, type LogLimits } from './log.ts';
import { encodeRecord, encodeVoid, type Header, newChangeId } from './record.ts';

export interface RecorderOptions {
  readonly stateDir: string;
  /** The name of the record: the real path of the workspace, or the name of settings. */
  readonly workspace: string;
  readonly author: Author;
  /** Set for an undo or redo. */
  readonly reversal?: Pick<Header, 'undoes' | 'redoes' | 'reverses' | 'already'>;
  /** Called before a change is written that cannot be undone. */
  readonly warn?: (warning: string) => void;
  /** Changes of the same group are shown and undone as one. */
  readonly group?: string;
  /** Whether the records are in the log without displacement. */
  readonly isKept?: true | undefined;
  /** For tests. */
  readonly limits?: LogLimits;
}

/**
 * Records what writers do, so that it can be undone. A write never fails because of its record: the record says what could
 * not be kept, and the next one says that a record is missing.
 */
export function changeRecorder(options: RecorderOptions): Recorder & { lastId(): string | undefined } {
  const state: RecorderState = {};
  return { begin: (purpose) => openRecord(options, purpose, state), lastId: () => state.lastId };
}

interface RecorderState {
  lost?: string;
  lastId?: string;
}

function openRecord(options: RecorderOptions, tool: string, state: RecorderState): OpenRecord {
  const { stateDir, workspace, author, group, limits = options.isKept === true ? KEPT_LIMITS : undefined } = options;
  const files: KeptFile[] = [];
  let bytes = 0;
  let room = MOST_WHOLE;
  let notKept: string | undefined;
  let published: string | undefined;

  const keep = (step: RecordedStep): KeptFile => {
    bytes += recordedBytes(step);
    if (bytes > MOST_KEPT) notKept ??= `it has more than ${MOST_KEPT >> 20} MB`;
    if (step.action === 'delete' && 'unkept' in step) notKept ??= step.unkept;
    if (notKept !== undefined) return keepMetadata(step);
    try {
      const file = keepFile(step, room);
      for (const { old } of file.regions) room -= old.length;
      return file;
    } catch (error) {
      notKept = reason(error);
      return keepMetadata(step);
    }
  };
  const append = (encode: (token: string) => Uint8Array): boolean => {
    try {
      appendRecord(stateDir, workspace, encode, limits);
      return true;
    } catch (error) {
      state.lost = reason(error);
      return false;
    }
  };

  return {
    add: (step) => {
      files.push(keep(step));
    },
    publish: (folders = []) => {
      const { id, time } = newChangeId();
      const head = {
        id,
        time,
        workspace,
        ...author,
        tool,
        ...(group === undefined ? {} : { group }),
        ...options.reversal,
        ...(folders.length === 0 ? {} : { folders: folders.map(({ path }) => path) }),
        ...(notKept === undefined ? {} : { notKept }),
        ...(state.lost === undefined ? {} : { lost: state.lost }),
      };
      const kept = notKept === undefined ? files : files.map(withoutBytes);
      if (!append((token) => encodeRecord(token, head, kept))) {
        options.warn?.(`this change was not recorded and cannot be undone: ${state.lost}`);
        return;
      }
      if (notKept !== undefined) options.warn?.(`this change cannot be undone: ${notKept}`);
      delete state.lost;
      published = id;
      state.lastId = id;
    },
    withdraw: () => {
      const id = published;
      published = undefined;
      if (id !== undefined) append((token) => encodeVoid(token, id));
    },
  };
}

/** A change that cannot be undone completely keeps no bytes. */
function withoutBytes({ content: _content, over: _over, ...file }: KeptFile): KeptFile {
  return { ...file, regions: [] };
}
