import type { ToPage } from '../../src/wire/page.ts';

/** The first message after both proofs, without `resume`. */
export const WELCOME: Omit<Extract<ToPage, { readonly type: 'welcome' }>, 'resume'> = {
  type: 'welcome',
  login: { id: 'l', role: 'operator', name: 'operator-1', createdAt: 0, lastSeenAt: 0 },
  now: 5,
  version: '1',
  machine: 'm',
  workspace: '/w',
  agent: 'main',
  positions: { store: 'one', notice: 10, audit: 20 },
};
