/** Searches the workspace for what programs obey, in steps before a write, so that other calls are not blocked. */
import { dirname, join, sep } from 'node:path';
import { settingsReader, userSettings, workspaceReader } from '../../obeyed/git/git-settings.ts';
import { linksIn, type ObeyedLink } from '../../obeyed/links.ts';
import { type Steps, withPauses } from '../../obeyed/pauses.ts';
import { type ScanBounds, walkFrom } from '../../obeyed/scan.ts';
import { closedBy } from './git-folders.ts';

export interface ObeyedSearch {
  /** Links at a protected path, or on the way to one. */
  readonly links: readonly ObeyedLink[];
  /** Real paths that git obeys because of settings in repositories. */
  readonly closed: readonly string[];
  /** Why the search is incomplete. */
  readonly unsearched?: string;
}

const BOUNDS: ScanBounds = { entries: 500_000, folders: 50_000, found: 5_000 };
/** People rarely create such a link, and a tool that changes one is refused anyway. */
const KEPT_MS = 2_000;
/** The largest share of the time that searches may take: the result of a long search is kept longer. */
const LONGEST_PART = 1 / 20;
const MOST_KEPT = 8;

interface Kept {
  readonly search: Promise<ObeyedSearch>;
  until: number;
}

const kept = new Map<string, Kept>();

export async function searchObeyed(tops: ReadonlySet<string>, homes: readonly string[]): Promise<ObeyedSearch> {
  const key = JSON.stringify([[...tops], homes]);
  const known = kept.get(key);
  if (known !== undefined && performance.now() < known.until) return known.search;
  const since = performance.now();
  const made: Kept = { search: withPauses(searchSteps(tops, homes)), until: Number.POSITIVE_INFINITY };
  kept.delete(key);
  kept.set(key, made);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  try {
    const found = await made.search;
    const now = performance.now();
    made.until = now + Math.max(KEPT_MS, (now - since) / LONGEST_PART);
    return found;
  } catch (error) {
    if (kept.get(key) === made) kept.delete(key);
    throw error;
  }
}

/** The search in steps, without the cache. */
export function* searchSteps(
  tops: ReadonlySet<string>,
  homes: readonly string[],
  bounds: ScanBounds = BOUNDS,
): Steps<ObeyedSearch> {
  const links: ObeyedLink[] = [];
  const closed: string[] = [];
  const reader = workspaceReader();
  const user = userSettings(homes);
  let why: string | undefined;
  for (const top of tops) {
    if (top === sep) continue; // too large to search for one write
    const { found, unsearched } = yield* walkFrom(top, bounds);
    why ??= unsearched[0]?.why;
    for (const folder of new Set([top, ...found.map(({ path }) => dirname(join(top, path)))])) {
      links.push(...linksIn(folder));
      closed.push(...closedBy(folder, user, settingsReader(reader)));
      yield undefined;
    }
  }
  return { links, closed, ...(why === undefined ? {} : { unsearched: why }) };
}
