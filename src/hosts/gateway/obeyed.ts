/** What the gateway does when a sandbox made or changed files that the host obeys, or its guards were pulled away. */
import { actorOf } from '../../wire/actor.ts';
import type { ObeyedChange } from '../../wire/sandbox.ts';
import type { ApprovalStore } from '../approvals/shape.ts';
import type { ObeyedDifference } from '../obeyed/fingerprint.ts';
import type { SandboxPlace } from '../sandbox/owner.ts';
import type { KeptContent } from '../sandbox/sandboxes/kept-contents.ts';
import { type LostGuard, lostGuardText } from '../sandbox/sandboxes/lost-guard.ts';
import { obeyedText, shortObeyed } from '../sandbox/sandboxes/obeyed-text.ts';
import { restore, takeAway } from './quarantine.ts';

/** Where it is told. */
export interface Telling {
  readonly store: Pick<ApprovalStore, 'audit' | 'notice'>;
  readonly told: () => void;
}

interface Seen {
  readonly workspace: string;
  readonly differences: readonly ObeyedDifference[];
  /** The content of a path from before the work, where it is kept. */
  readonly contentOf: (path: string) => KeptContent | undefined;
  readonly stateDir: string;
}

/** Tells it, after taking the files away where the settings say so. All are answered; only what is shown is shortened. */
export async function answerObeyed(
  place: SandboxPlace,
  { workspace, differences, contentOf, stateDir }: Seen,
  telling: Telling,
): Promise<readonly ObeyedChange[]> {
  const changes: ObeyedChange[] = [];
  for (const each of differences) {
    const { path, change } = each;
    if (place.settings.onObeyed !== 'quarantine' || (change !== 'new' && change !== 'changed')) {
      changes.push(each);
      continue;
    }
    const recorded = { workspace, stateDir, place };
    if (change === 'new') {
      const why = await takeAway(path, recorded);
      changes.push(why === undefined ? { ...each, quarantined: true } : { ...each, notQuarantined: why });
    } else {
      const restored = contentOf(path)?.kind === 'folder' ? 'mode' : 'content';
      const why = await restore(path, contentOf, recorded);
      changes.push(why === undefined ? { ...each, restored } : { ...each, notQuarantined: why });
    }
  }
  const shown = shortObeyed(changes);
  tell(place, { kind: 'sandbox-obeyed', event: 'obeyed' }, shown.map(obeyedText), { obeyed: shown }, telling);
  return changes;
}

/** Tells that files can be written from inside of a sandbox that runs. */
export function tellGuardLost(place: SandboxPlace, lost: readonly LostGuard[], telling: Telling): void {
  const lines = lost.map((each) => `${lostGuardText(each)} and can be written by what runs`);
  const paths = lost.map(({ path }) => path);
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
