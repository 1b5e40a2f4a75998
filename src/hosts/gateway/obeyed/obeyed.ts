/** What the gateway does when a sandbox made or changed files that the host obeys, or its guards were pulled away. */
import { setImmediate as breathe } from 'node:timers/promises';
import { actorOf } from '../../../wire/actor.ts';
import type { ObeyedChange } from '../../../wire/sandbox.ts';
import type { ApprovalStore } from '../../approvals/shape.ts';
import type { ObeyedDifference } from '../../obeyed/fingerprint.ts';
import type { SandboxPlace } from '../../sandbox/owner.ts';
import type { Look } from '../../sandbox/sandboxes/obeyed-watch.ts';
import { type LostGuard, lostGuardText } from '../../sandbox/sandboxes/obeyed-text.ts';
import { obeyedText, shortObeyed } from '../../sandbox/sandboxes/obeyed-text.ts';
import { type Left, takeAway } from './quarantine.ts';
import { restore } from './restore.ts';

/** Where it is told. */
export interface Telling {
  readonly store: Pick<ApprovalStore, 'audit' | 'notice'>;
  readonly told: () => void;
}

interface Found {
  readonly workspace: string;
  readonly differences: readonly ObeyedDifference[];
  readonly look: Look;
  readonly stateDir: string;
}

/** How long changed files are restored after one command. */
const RESTORE_MS = 10_000;

/**
 * Tells what was found, before anything else: whoever made it may try to end this process. Then takes new files away and
 * restores changed ones, where the settings say so, and tells what was done. All are answered; only what is shown is shortened.
 */
export async function answerObeyed(
  place: SandboxPlace,
  { workspace, differences, look, stateDir }: Found,
  telling: Telling,
): Promise<readonly ObeyedChange[]> {
  tellObeyed(place, differences, telling);
  // What happened while no command ran may be the operator's work.
  const isUndone = ({ change, sinceLastCommand }: ObeyedDifference): boolean =>
    place.settings.onObeyed === 'quarantine' && sinceLastCommand !== true && (change === 'new' || change === 'changed');
  if (!differences.some(isUndone)) return differences;
  const recorded = { workspace, stateDir, actor: actorOf(place) };
  const taken = differences.filter((each) => isUndone(each) && each.change === 'new').map(({ path }) => path);
  const left = await takeAway(taken, recorded, look);
  const changes: ObeyedChange[] = [];
  const start = performance.now();
  for (const each of differences) {
    if (!isUndone(each)) changes.push(each);
    else if (each.change === 'new') changes.push(answered(each, left.get(each.path), { quarantined: true }));
    else {
      const isLate = performance.now() - start > RESTORE_MS;
      const notRestored = isLate ? { why: TOO_LONG } : await restore(each.path, recorded, look);
      const restored = look.contentOf(each.path)?.kind === 'folder' ? 'mode' : 'content';
      changes.push(answered(each, notRestored, { restored }));
      await breathe();
    }
  }
  tellObeyed(place, changes, telling);
  return changes;
}

const TOO_LONG = `restoring files took longer than ${RESTORE_MS / 1000} s`;

function answered(
  each: ObeyedDifference,
  left: Left | undefined,
  done: Pick<ObeyedChange, 'quarantined' | 'restored'>,
): ObeyedChange {
  if (left === undefined) return { ...each, ...done };
  return { ...each, notQuarantined: left.why, ...(left.isPart === true ? { quarantined: true } : {}) };
}

function tellObeyed(place: SandboxPlace, changes: readonly ObeyedChange[], telling: Telling): void {
  const shown = shortObeyed(changes);
  // What may be the operator's own work wakes nobody.
  const wake = changes.some(({ sinceLastCommand }) => sinceLastCommand !== true);
  tell(place, { kind: 'sandbox-obeyed', event: 'obeyed', wake }, shown.map(obeyedText), { obeyed: shown }, telling);
}

/** Tells that files can be written from inside of a sandbox that runs. */
export function tellGuardLost(place: SandboxPlace, lost: readonly LostGuard[], telling: Telling): void {
  const lines = lost.map((each) => `${lostGuardText(each)} and can be written by what runs`);
  const paths = lost.map(({ path }) => path);
  tell(place, { kind: 'sandbox-guard-lost', event: 'guard-lost', wake: true }, lines, { paths }, telling);
}

interface Heading {
  readonly kind: 'sandbox-obeyed' | 'sandbox-guard-lost';
  readonly event: 'obeyed' | 'guard-lost';
  readonly wake: boolean;
}

function tell(
  place: SandboxPlace,
  { kind, event, wake }: Heading,
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
    wake,
    contextKey: `sandbox:${key}`,
  });
  told();
}
