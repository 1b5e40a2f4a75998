/** Real paths through the history API. A path identifies what is shown and never authorises anything. */
import { signal } from '@preact/signals';

export interface Place {
  readonly path: string;
  /** The decoded segments of the path. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

export function placeOf(url: string): Place {
  const { pathname, searchParams } = new URL(url, 'http://page');
  const segments = pathname.split('/').filter(Boolean).map(decoded);
  return { path: pathname, segments, query: searchParams };
}

/** `pathTo('sessions', id)` is `/sessions/<id>` with the id encoded. */
export function pathTo(...segments: readonly string[]): string {
  return `/${segments.map(encodeURIComponent).join('/')}`;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // not an encoding: it is shown as it is
  }
}

export const place = signal<Place>(placeOf('/'));

export function navigate(url: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', url);
  else history.replaceState(null, '', url);
  place.value = placeOf(url);
}

/** Follows the history, and turns clicks on links of this page into navigation without a load. */
export function followHistory(): void {
  place.value = placeOf(location.href);
  addEventListener('popstate', () => {
    place.value = placeOf(location.href);
  });
  document.addEventListener('click', (event) => {
    const link = (event.target as Element | null)?.closest('a');
    if (link === null || link === undefined || !isPlainClick(event, link)) return;
    event.preventDefault();
    if (link.href !== location.href) navigate(link.pathname + link.search);
  });
}

/** Whether the click shows the target of the link in this tab. */
export function isPlainClick(event: MouseEvent, link: HTMLAnchorElement): boolean {
  const hasModifier = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (event.defaultPrevented || event.button !== 0 || hasModifier) return false;
  const isFragment = link.hash !== '' && link.pathname === location.pathname;
  return link.origin === location.origin && link.target === '' && !link.hasAttribute('download') && !isFragment;
}
