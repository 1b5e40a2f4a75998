/**
 * The screens of the page, in the order of the rail. A screen is the default export of `<folder>/screen.tsx`, loaded when it is
 * first shown; a name without such a file is not offered.
 */
import type { ComponentType } from 'preact';
import type { ReadonlySignal } from '@preact/signals';
import { computed } from '@preact/signals';
import type { IconName } from '../components/icon.tsx';
import { waitingCount } from '../state/approvals.ts';
import { pendingNodes } from '../state/nodes.ts';
import { runningSessions } from '../state/sessions.ts';

interface ScreenCount {
  readonly value: ReadonlySignal<number>;
  /** Says what the number counts: `7 waiting`. */
  readonly unit: string;
  /** A person should act. */
  readonly isUrgent: boolean;
}

interface ScreenName {
  /** The folder of its code, and the first segment of its paths. */
  readonly folder: string;
  readonly name: string;
  /** With `g` before it. */
  readonly key: string;
  readonly icon: IconName;
  readonly count?: ScreenCount;
}

export interface Screen extends ScreenName {
  readonly href: string;
  readonly load: () => Promise<ComponentType>;
}

const NAMES: readonly ScreenName[] = [
  {
    folder: 'approvals',
    name: 'Approvals',
    key: 'a',
    icon: 'approvals',
    count: { value: waitingCount, unit: 'waiting', isUrgent: true },
  },
  {
    folder: 'sessions',
    name: 'Sessions',
    key: 's',
    icon: 'sessions',
    count: { value: computed(() => runningSessions.value.length), unit: 'running', isUrgent: false },
  },
  { folder: 'review', name: 'Review', key: 'r', icon: 'review' },
  {
    folder: 'nodes',
    name: 'Nodes',
    key: 'n',
    icon: 'nodes',
    count: { value: computed(() => pendingNodes.value.length), unit: 'waiting to be paired', isUrgent: true },
  },
  { folder: 'files', name: 'Files', key: 'f', icon: 'files' },
  { folder: 'policy', name: 'Policy', key: 'p', icon: 'policy' },
  { folder: 'audit', name: 'Audit', key: 'l', icon: 'audit' },
  { folder: 'try', name: 'Try it', key: 't', icon: 'try' },
  { folder: 'settings', name: 'Settings', key: ',', icon: 'settings' },
];

const modules = import.meta.glob<ComponentType>('./*/screen.tsx', { import: 'default' });

/** The home screen has the path `/`. */
export const HOME = 'approvals';

export const SCREENS: readonly Screen[] = NAMES.flatMap((entry) => {
  const load = modules[`./${entry.folder}/screen.tsx`];
  return load === undefined ? [] : [{ ...entry, href: entry.folder === HOME ? '/' : `/${entry.folder}`, load }];
});

/** Undefined for a path of no screen. */
export function screenAt(segments: readonly string[]): Screen | undefined {
  const folder = segments[0] ?? HOME;
  return SCREENS.find((screen) => screen.folder === folder);
}
