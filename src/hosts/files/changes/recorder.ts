import type { Author } from '../shape.ts';
import type { OpenRecord, RecordedStep, Recorder } from './recorder-shape.ts';
import { reason } from '../faults.ts';
import { keepFile, nameFile, weightOf } from './keep.ts';
import { type KeptFile, MOST_KEPT, MOST_WHOLE } from './kept.ts';
import { appendRecord, KEPT_LIMITS, type LogLimits } from './log.ts';
import { encodeRecord, encodeVoid, type Header, newChangeId } from './record.ts';

export interface RecorderOptions {
  readonly stateDir: string;
  /** The name of the record: the real path of the workspace, or the name of settings. */
  readonly workspace: string;
  readonly author: Author;
  /** Set by whoever goes back or forth in the record. */
  readonly reversal?: Pick<Header, 'undoes' | 'redoes' | 'reverses' | 'already'>;
  /** Called before a change is written that cannot be undone, with a sentence that says why. */
  readonly warn?: (warning: string) => void;
  /** Whether the records are kept apart from the others, so that no later one displaces them. */
  readonly isKept?: true | undefined;
  /** Only tests have others than the usual ones. */
  readonly limits?: LogLimits;
}

/**
 * Records what writers do, so that it can be undone. A write never fails because of its record: what cannot be kept
 * is said in the record, and that a record is missing is said in the next one.
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
  const { stateDir, workspace, author, limits = options.isKept === true ? KEPT_LIMITS : undefined } = options;
  const files: KeptFile[] = [];
  let weight = 0;
  let room = MOST_WHOLE;
  let notKept: string | undefined;
  let published: string | undefined;

  const keep = (step: RecordedStep): KeptFile => {
    weight += weightOf(step);
    if (weight > MOST_KEPT) notKept ??= `it has more than ${MOST_KEPT >> 20} MB`;
    if (step.action === 'delete' && 'unkept' in step) notKept ??= step.unkept;
    if (notKept !== undefined) return nameFile(step);
    try {
      const file = keepFile(step, room);
      for (const { old } of file.regions) room -= old.length;
      return file;
    } catch (error) {
      notKept = reason(error);
      return nameFile(step);
    }
  };
  const append = (encode: (word: string) => Uint8Array): boolean => {
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
        ...options.reversal,
        ...(folders.length === 0 ? {} : { folders: folders.map(({ path }) => path) }),
        ...(notKept === undefined ? {} : { notKept }),
        ...(state.lost === undefined ? {} : { lost: state.lost }),
      };
      const kept = notKept === undefined ? files : files.map(withoutBytes);
      if (!append((word) => encodeRecord(word, head, kept))) {
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
      if (id !== undefined) append((word) => encodeVoid(word, id));
    },
  };
}

/** Of a change that cannot be undone as a whole no bytes are kept. */
function withoutBytes({ content: _content, over: _over, ...file }: KeptFile): KeptFile {
  return { ...file, regions: [] };
}
