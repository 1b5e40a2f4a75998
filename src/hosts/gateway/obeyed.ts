/** What the gateway does when a sandbox made or changed files that the host obeys, or its guards were pulled away. */
import { Fault } from '../../base/fault.ts';
import { actorOf } from '../../wire/actor.ts';
import { OWN_CLIENT } from '../../wire/client-name.ts';
import type { ObeyedChange } from '../../wire/sandbox.ts';
import type { ApprovalStore } from '../approvals/shape.ts';
import { localFiles } from '../files/files.ts';
import type { FileChange, Files } from '../host.ts';
import type { ObeyedDifference } from '../obeyed/fingerprint.ts';
import type { SandboxPlace } from '../sandbox/owner.ts';
import { obeyedText } from '../sandbox/sandboxes/obeyed-text.ts';

/** Where it is told. */
export interface Telling {
  readonly store: Pick<ApprovalStore, 'audit' | 'notice'>;
  readonly told: () => void;
}

interface Seen {
  readonly workspace: string;
  readonly differences: readonly ObeyedDifference[];
  readonly stateDir: string;
}

/** Tells it, after taking the files away where the settings say so. */
export async function answerObeyed(
  place: SandboxPlace,
  { workspace, differences, stateDir }: Seen,
  telling: Telling,
): Promise<readonly ObeyedChange[]> {
  const changes: ObeyedChange[] = [];
  for (const each of differences) {
    const isTaken =
      place.settings.onObeyed === 'quarantine' &&
      each.change !== 'not-searched' &&
      (await quarantine(each.path, workspace, stateDir, place));
    changes.push(isTaken ? { ...each, quarantined: true } : each);
  }
  tell(place, { kind: 'sandbox-obeyed', event: 'obeyed' }, changes.map(obeyedText), { obeyed: changes }, telling);
  return changes;
}

/** Tells that files can be written from inside of a sandbox that runs. */
export function tellGuardLost(place: SandboxPlace, paths: readonly string[], telling: Telling): void {
  const lines = paths.map((path) => `${JSON.stringify(path)} was replaced on the host and can be written by what runs`);
  tell(place, { kind: 'sandbox-guard-lost', event: 'guard-lost' }, lines, { paths }, telling);
}

function tell(
  place: SandboxPlace,
  { kind, event }: { readonly kind: 'sandbox-obeyed' | 'sandbox-guard-lost'; readonly event: 'obeyed' | 'guard-lost' },
  lines: readonly string[],
  details: Readonly<Record<string, unknown>>,
  { store, told }: Telling,
): void {
  const { owner, key } = place;
  const whose = actorOf(place);
  store.audit({ event, ...whose, details: { ...details, owner } });
  store.notice({
    kind,
    ...whose,
    text: `Sandbox of ${owner}: ${lines.join('; ')}`,
    wake: true,
    contextKey: `sandbox:${key}`,
  });
  told();
}

const MOST_TAKEN = 1000;

/** Takes a file, or all files of a folder, away as one recorded change; false when that could not be done. */
async function quarantine(path: string, workspace: string, stateDir: string, place: SandboxPlace): Promise<boolean> {
  // Not the agent's own: its undo must not bring the file back.
  const author = { ...actorOf(place), client: OWN_CLIENT };
  const files = localFiles({ cwd: workspace, stateDir, author, protect: 'none', hardLinks: 'in-place' });
  const removals: FileChange[] = [];
  try {
    if (!collect(path, files, removals)) return false;
    if (removals.length > 0) (await files.writer('quarantine')).commit(removals);
    return true;
  } catch (error) {
    if (error instanceof Fault) return false; // it changes while it is looked at; that it is there is told
    throw error;
  } finally {
    files.close();
  }
}

/** Through the gate, so that a link that was put in the way leads nowhere; false when there is too much. */
function collect(path: string, files: Files, removals: FileChange[]): boolean {
  const { file, stands, stamp } = files.placeOf(path, 'itself');
  if (stands === 'folder')
    return files.list(path).every((name) => collect(`${path}/${name.replace(/\/$/u, '')}`, files, removals));
  if (stamp === undefined || (stands !== 'file' && stands !== 'link')) return stands === 'nothing';
  removals.push({ file, stamp, remove: true });
  return removals.length <= MOST_TAKEN;
}
