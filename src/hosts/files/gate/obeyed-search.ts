/** What programs obey in the workspace of a writer. It is searched in steps before the writer works, so that nobody waits for it. */
import { dirname, join, sep } from 'node:path';
import { settingsReader, userSettings, workspaceReader } from '../../obeyed/git/git-settings.ts';
import { linksIn, type ObeyedLink } from '../../obeyed/links.ts';
import { type Steps, withPauses } from '../../obeyed/pauses.ts';
import { type ScanBounds, walkFrom } from '../../obeyed/scan.ts';
import { closedBy } from './git-folders.ts';

/** What a search has found. */
export interface ObeyedSearch {
  /** Links that stand at a closed path, or on the way to one. */
  readonly links: readonly ObeyedLink[];
  /** Real paths that git obeys by the word of repositories. */
  readonly closed: readonly string[];
  /** Why there may be more. */
  readonly unsearched?: string;
}

const BOUNDS: ScanBounds = { entries: 500_000, folders: 50_000, found: 5_000 };
/** A person makes such a link seldom; a tool that moves one is refused before. */
const KEPT_MS = 2_000;
/** Searches take at most this part of the time: a long one is kept longer. */
const LONGEST_PART = 1 / 20;
const MOST_KEPT = 8;

interface Kept {
  readonly search: Promise<ObeyedSearch>;
  until: number;
}

const kept = new Map<string, Kept>();

/** Searches folders, or gives what was found in them a moment ago. */
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

/** The search in steps, without what is kept. */
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
    if (top === sep) continue; // a machine is not searched for one write
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
