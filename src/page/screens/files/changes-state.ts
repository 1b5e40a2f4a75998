/** The record of changes of the workspace, the newest first. */
import { computed, signal } from '@preact/signals';
import { changesDetails, type RecordedChange } from './answers.ts';
import { callTool } from './operator-tool.ts';

export const MOST_CHANGES = 200;

export const changes = signal<readonly RecordedChange[] | undefined>(undefined);
/** Why the record could not be loaded. */
export const changesProblem = signal<unknown>(undefined);

export async function loadChanges(): Promise<void> {
  try {
    const { details } = await callTool('changes', { action: 'list', limit: MOST_CHANGES }, changesDetails);
    changes.value = details.changes;
    changesProblem.value = undefined;
  } catch (error) {
    changesProblem.value = error;
  }
}

/** The paths of files whose recorded changes are in effect. */
export const changedFiles = computed<ReadonlySet<string>>(
  () =>
    new Set(
      (changes.value ?? [])
        .filter(({ state }) => state !== 'undone')
        .flatMap(({ files }) => files.map(({ path, movedTo }) => movedTo ?? path)),
    ),
);
