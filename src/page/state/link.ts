/** Whether the page is connected, and who uses it. */
import { computed, signal } from '@preact/signals';
import type { Login } from '../../wire/page.ts';

export type LinkState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** `dataAt`: when the page last heard from the server; absent before the first welcome. Both in the time of this machine. */
  | { readonly kind: 'lost'; readonly nextTryAt: number; readonly dataAt?: number }
  | { readonly kind: 'logged-out'; readonly reason: string }
  /** The page and the gateway are of different versions. */
  | { readonly kind: 'outdated'; readonly problem: string };

/** What the server says about itself. */
export interface ServerInfo {
  readonly version: string;
  readonly machine: string;
  readonly workspace: string;
  readonly agent: string;
}

export const link = signal<LinkState>({ kind: 'connecting' });
export const login = signal<Login | undefined>(undefined);
export const server = signal<ServerInfo | undefined>(undefined);

/** The lists that every screen shares. `running`: the sessions that are read again, because some of their facts have no events. */
export type SharedList = 'approvals' | 'sessions' | 'running' | 'nodes';

/** Why the last load of a list failed; absent for a list that was loaded. */
const loadProblems = signal<Readonly<Partial<Record<SharedList, unknown>>>>({});

export function noteLoad(list: SharedList, error?: unknown): void {
  loadProblems.value = { ...loadProblems.peek(), [list]: error };
}

/** Why a list is not as it is now. */
export const loadProblem = computed<unknown>(() => Object.values(loadProblems.value).find(Boolean));

const NO_LINK_REASON = 'There is no link to the gateway. Nothing is queued.';
const OUTDATED_REASON = 'This page and the gateway are of different versions. Reload the page.';
export const VIEWER_REASON = 'You are logged in as a viewer. Only an operator can do this.';

/** Why nothing can be sent now; undefined where it can. */
export const linkBlocked = computed<string | undefined>(() => {
  if (link.value.kind === 'live') return undefined;
  return link.value.kind === 'outdated' ? OUTDATED_REASON : NO_LINK_REASON;
});

/** Why no write is possible now; undefined where it is. Every control that writes shows it. */
export const writeBlocked = computed<string | undefined>(
  () => linkBlocked.value ?? (login.value?.role === 'operator' ? undefined : VIEWER_REASON),
);
