/** What the gateway does when a sandbox made or changed files that the host obeys, or its guards were pulled away. */
import { actorOf } from '../../wire/actor.ts';
import type { ObeyedChange } from '../../wire/sandbox.ts';
import type { ApprovalStore } from '../approvals/shape.ts';
import type { ObeyedDifference } from '../obeyed/fingerprint.ts';
import type { SandboxPlace } from '../sandbox/owner.ts';
import { obeyedText, shortObeyed } from '../sandbox/sandboxes/obeyed-text.ts';
import { quarantine } from './quarantine.ts';

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

/** Tells it, after taking the files away where the settings say so. All are answered; only what is shown is shortened. */
export async function answerObeyed(
  place: SandboxPlace,
  { workspace, differences, stateDir }: Seen,
  telling: Telling,
): Promise<readonly ObeyedChange[]> {
  const changes: ObeyedChange[] = [];
  for (const each of differences) {
    const isTakable = each.change === 'new' || each.change === 'changed';
    if (place.settings.onObeyed !== 'quarantine' || !isTakable) changes.push(each);
    else {
      const why = await quarantine(each.path, workspace, stateDir, place);
      changes.push(why === undefined ? { ...each, quarantined: true } : { ...each, notQuarantined: why });
    }
  }
  const shown = shortObeyed(changes);
  tell(place, { kind: 'sandbox-obeyed', event: 'obeyed' }, shown.map(obeyedText), { obeyed: shown }, telling);
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
