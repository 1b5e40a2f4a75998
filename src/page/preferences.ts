/** What this browser remembers of its person. Without storage (private mode) the values last as long as the page. */
import { effect, signal } from '@preact/signals';

const PREFIX = 'pincer.';
/** What the storage did not take: it is switched off or full. */
const unstored = new Map<string, string>();

export function stored(name: string): string | undefined {
  try {
    return unstored.get(name) ?? globalThis.localStorage?.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined; // storage is switched off: the default holds
  }
}

export function store(name: string, value: string | undefined): void {
  unstored.delete(name);
  try {
    if (value === undefined) globalThis.localStorage?.removeItem(PREFIX + name);
    else globalThis.localStorage?.setItem(PREFIX + name, value);
  } catch {
    if (value !== undefined) unstored.set(name, value);
  }
}

/** Whether values outlast the page. */
export function hasStorage(): boolean {
  const name = 'storage-check';
  store(name, '');
  const isKept = !unstored.has(name);
  store(name, undefined);
  return isKept;
}

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>(THEMES.find((name) => name === stored('theme')) ?? 'system');
/** Whether keys of one letter act (WCAG 2.1.4). */
export const singleKeys = signal(stored('single-keys') !== 'off');

/** Keeps the preferences, and applies the theme to the document. */
export function keepPreferences(): void {
  effect(() => {
    store('theme', theme.value === 'system' ? undefined : theme.value);
    if (theme.value === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme.value;
  });
  effect(() => store('single-keys', singleKeys.value ? undefined : 'off'));
}
