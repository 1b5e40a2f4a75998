/** The gateway's response when a sandbox created or changed files that the host obeys, or its guards were removed. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { actorOf } from '../../../wire/actor.ts';
import type { ObeyedChange } from '../../../wire/sandbox.ts';
import type { ApprovalStore } from '../../approvals/shape.ts';
import type { ObeyedDifference } from '../../obeyed/fingerprint.ts';
import type { SandboxPlace } from '../../sandbox/owner.ts';
import type { Look } from '../../sandbox/sandboxes/obeyed-watch.ts';
import { type LostGuard, lostGuardText } from '../../sandbox/sandboxes/obeyed-text.ts';
import { obeyedText, shortObeyed } from '../../sandbox/sandboxes/obeyed-text.ts';
import { type NotRemoved, removeNewFiles } from './quarantine.ts';
import { restore } from './restore.ts';

/** Where findings are reported. */
export interface Reporting {
  readonly store: Pick<ApprovalStore, 'audit' | 'notice'>;
  readonly onNotice: () => void;
}

interface ObeyedFindings {
  readonly workspace: string;
  readonly differences: readonly ObeyedDifference[];
  readonly look: Look;
  readonly stateDir: string;
}

/** Time limit for restoring changed files after one command. */
const RESTORE_MS = 10_000;

/**
 * Reports what was found before anything else: its author may try to end this process. Then removes new files and restores
 * changed ones, where the settings require it, and reports that. Every file is handled; only the displayed list is shortened.
 */
export async function answerObeyed(
  place: SandboxPlace,
  { workspace, differences, look, stateDir }: ObeyedFindings,
  reporting: Reporting,
): Promise<readonly ObeyedChange[]> {
  reportObeyed(place, differences, reporting);
  // Changes while no command ran may be the operator's work.
  const isUndone = ({ change, sinceLastCommand }: ObeyedDifference): boolean =>
    place.settings.onObeyed === 'quarantine' && sinceLastCommand !== true && (change === 'new' || change === 'changed');
  if (!differences.some(isUndone)) return differences;
  const recorded = { workspace, stateDir, actor: actorOf(place) };
  const taken = differences.filter((each) => isUndone(each) && each.change === 'new').map(({ path }) => path);
  const left = await removeNewFiles(taken, recorded, look);
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
      await yieldToEventLoop();
    }
  }
  reportObeyed(place, changes, reporting);
  return changes;
}

const TOO_LONG = `restoring files took longer than ${RESTORE_MS / 1000} s`;

function answered(
  each: ObeyedDifference,
  left: NotRemoved | undefined,
  done: Pick<ObeyedChange, 'quarantined' | 'restored'>,
): ObeyedChange {
  if (left === undefined) return { ...each, ...done };
  return { ...each, notQuarantined: left.why, ...(left.isPart === true ? { quarantined: true } : {}) };
}

function reportObeyed(place: SandboxPlace, changes: readonly ObeyedChange[], reporting: Reporting): void {
  const shown = shortObeyed(changes);
  // Do not wake the agent for what may be the operator's own work.
  const wake = changes.some(({ sinceLastCommand }) => sinceLastCommand !== true);
  report(place, { kind: 'sandbox-obeyed', event: 'obeyed', wake }, shown.map(obeyedText), { obeyed: shown }, reporting);
}

/** Reports that guarded files can be written from inside a running sandbox. */
export function reportGuardLost(place: SandboxPlace, lost: readonly LostGuard[], reporting: Reporting): void {
  const lines = lost.map((each) => `${lostGuardText(each)} and running commands can write it`);
  const paths = lost.map(({ path }) => path);
  report(place, { kind: 'sandbox-guard-lost', event: 'guard-lost', wake: true }, lines, { paths }, reporting);
}

interface Heading {
  readonly kind: 'sandbox-obeyed' | 'sandbox-guard-lost';
  readonly event: 'obeyed' | 'guard-lost';
  readonly wake: boolean;
}

function report(
  place: SandboxPlace,
  { kind, event, wake }: Heading,
  lines: readonly string[],
  details: Readonly<Record<string, unknown>>,
  { store, onNotice }: Reporting,
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
  onNotice();
}
