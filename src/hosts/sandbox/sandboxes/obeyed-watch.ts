/** Compares the obeyed files of a workspace before and after work in a sandbox: finds created and changed files, and missing guards. */
import type { BigIntStats } from 'node:fs';
import { isInside } from '../../../base/inside.ts';
import type { ObeyedChange } from '../../../wire/sandbox.ts';
import { lstatAt } from '../../obeyed/file-stamp.ts';
import { differencesOf, type Fingerprint, type ObeyedDifference } from '../../obeyed/fingerprint.ts';
import { takeFingerprint } from '../../obeyed/take-fingerprint.ts';
import type { OpenSandbox, SandboxSpec } from '../backend.ts';
import { KeptContents, type KeptContent } from './kept-contents.ts';

/** What the snapshots know about a path, for a report of differences. */
export interface Look {
  /** The earlier content of a path, where it is kept. */
  contentOf(path: string): KeptContent | undefined;
  /** `dev:ino` of a path in the snapshot. */
  identityOf(path: string): string | undefined;
  /** All paths in the snapshot. */
  seen(): Iterable<string>;
  /** Why a path must be left unchanged: it is at, above or below a guard. */
  whyGuarded(path: string): string | undefined;
  /** Why a new file may belong to the operator nevertheless. */
  whyOperators(path: string): string | undefined;
}

/** Handles differences and returns what was done about each. */
export type Report = (differences: readonly ObeyedDifference[], look: Look) => Promise<readonly ObeyedChange[]>;

export interface WatchOptions {
  readonly spec: Pick<SandboxSpec, 'workspace' | 'workspaceAccess'>;
  readonly opened: Pick<OpenSandbox, 'guards'>;
  readonly report: Report;
  /** Whether changed files are restored, which requires their earlier contents. */
  readonly keepsContents: boolean;
}

export interface BeginResult {
  readonly isAccepted: boolean;
  /** Changes since the last snapshot, by the host or by background processes in the sandbox. */
  readonly changes: readonly ObeyedChange[];
}

export class ObeyedWatch {
  readonly #options: WatchOptions;
  readonly #isOn: boolean;
  readonly #contents: KeptContents;
  /** The baseline of the next comparison. */
  #last: Fingerprint | undefined;
  /** Paths that work in this sandbox created: they were reported, and it may keep using them. */
  #own = new Set<string>();
  /** Paths that appeared while work ran: the host may have created them. */
  readonly #unknown = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();
  #running = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#isOn = options.spec.workspaceAccess === 'rw';
    this.#contents = new KeptContents(options.spec.workspace);
  }

  /** Whether work was accepted that has not ended. */
  get isRunning(): boolean {
    return this.#running > 0;
  }

  /** Checks before work begins; `accept` receives the paths that lack a guard. Calls run one after another. */
  begin(accept: (unguarded: readonly string[]) => boolean): Promise<BeginResult> {
    return this.#inTurn(async () => {
      const { unguarded, changes } = this.#isOn ? await this.#beforeWork() : { unguarded: [], changes: [] };
      const isAccepted = accept(unguarded);
      if (isAccepted) this.#running++;
      return { isAccepted, changes };
    });
  }

  /** Call it when accepted work has ended; returns the changes since the last snapshot. */
  end(): Promise<readonly ObeyedChange[]> {
    return this.#inTurn(async () => {
      this.#running--;
      return this.#isOn ? this.#afterWork() : [];
    });
  }

  /** Call it when the sandbox has ended; returns the changes since the last snapshot. */
  endOfSandbox(): Promise<readonly ObeyedChange[]> {
    return this.#inTurn(async () => {
      const before = this.#last;
      if (!this.#isOn || this.#running > 0 || before === undefined) return [];
      this.#last = await this.#take();
      return this.#answer(this.#betweenCommands(before, this.#last), before);
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {}); // the caller receives the error
    return result;
  }

  async #beforeWork(): Promise<{ unguarded: readonly string[]; changes: readonly ObeyedChange[] }> {
    const before = this.#last;
    const now = await this.#take();
    if (before !== undefined && this.isRunning) {
      // New files are reported when the work that may have created them ends, so the baseline stays.
      const unguarded = this.#uncovered(now).filter((path) => !this.#own.has(path));
      for (const path of unguarded) this.#unknown.add(path);
      return { unguarded, changes: [] };
    }
    this.#last = now;
    const differences = before === undefined ? this.#hardLinks(now) : this.#betweenCommands(before, now);
    const changes = await this.#answer(differences, before);
    // Files that the host may have created or changed need a guard, even where work in this sandbox created them first.
    const touched = before === undefined ? new Set<string>() : pathsAround(before, now);
    const unguarded = this.#uncovered(now).filter((path) => !this.#own.has(path) || touched.has(path));
    if (this.#options.keepsContents) await this.#contents.keep(now, (path) => this.#isCovered(path));
    return { unguarded: unguarded.filter((path) => this.#isStillThere(path, now)), changes };
  }

  async #afterWork(): Promise<readonly ObeyedChange[]> {
    const before = this.#last;
    const after = await this.#take();
    const differences = before === undefined ? [] : this.#differences(before, after);
    this.#last = after;
    const changes = await this.#answer(differences, before);
    const own = this.#uncovered(after).filter((path) => !this.#unknown.has(path) && this.#isStillThere(path, after));
    this.#own = new Set(own);
    return changes;
  }

  /** A removed file counts as new if it appears again; a restored file is no difference unless it was changed since. */
  async #answer(differences: readonly ObeyedDifference[], before?: Fingerprint): Promise<readonly ObeyedChange[]> {
    if (differences.length === 0) return [];
    const now = this.#last;
    const changes = await this.#options.report(differences, this.#lookOf(before, now));
    const removed = new Set(changes.filter(wasRemoved).map(({ path }) => path));
    const entries = new Map(now?.entries);
    // A folder comes before what is in it.
    for (const path of now?.entries.keys() ?? []) {
      if (!removed.has(path) && !removed.has(above(path))) continue;
      removed.add(path);
      if (this.#at(path) === undefined) entries.delete(path);
    }
    for (const { path, restored } of changes) {
      const entry = entries.get(path);
      const stamp = restored === undefined ? undefined : this.#contents.stampIfKept(path);
      if (entry !== undefined && stamp !== undefined) entries.set(path, { ...entry, stamp });
    }
    if (now !== undefined) this.#last = { ...now, entries };
    return changes;
  }

  #lookOf(before: Fingerprint | undefined, now: Fingerprint | undefined): Look {
    const whyGuarded = (path: string): string | undefined => {
      if (this.#isCovered(path)) return 'the sandbox guards it';
      return this.#options.opened.guards?.isBelow(path) === true
        ? 'it contains files that the sandbox guards'
        : undefined;
    };
    return {
      contentOf: (path) => this.#contents.of(path),
      identityOf: (path) => now?.entries.get(path)?.identity,
      seen: () => now?.entries.keys() ?? [],
      whyGuarded,
      whyOperators: (path) => {
        const [first] = before?.unsearched ?? [];
        if (first === undefined) return whyGuarded(path);
        return `it may have existed before: ${JSON.stringify(first.path)} was not searched then`;
      },
    };
  }

  #take(): Promise<Fingerprint> {
    return takeFingerprint(this.#options.spec.workspace, this.#options.opened.guards?.paths);
  }

  /** The differences between two snapshots. Only the host can change a guarded file, except through another hard link. */
  #differences(before: Fingerprint, after: Fingerprint): readonly ObeyedDifference[] {
    const isGuarded = this.#guardedNow();
    // The other hard link may have been removed again.
    const hadOtherName = (path: string): boolean =>
      [before, after].some(({ entries }) => entries.get(path)?.hasOtherName === true);
    return differencesOf(before, after, (path) => this.#at(path) !== undefined).filter(({ path, change }) => {
      // Commands cannot remove guarded files; placeholders are removed with the sandbox.
      if (change === 'gone') return !this.#isCovered(path);
      return change === 'not-searched' || hadOtherName(path) || !isGuarded(path);
    });
  }

  /** The sandbox cannot be trusted to report background processes, so every change between commands counts. */
  #betweenCommands(before: Fingerprint, after: Fingerprint): readonly ObeyedDifference[] {
    const isKnown = new Set(before.unsearched.map(({ path }) => path));
    return this.#differences(before, after)
      .filter(({ path, change }) => change !== 'not-searched' || !isKnown.has(path))
      .map((each) => (each.change === 'not-searched' ? each : { ...each, sinceLastCommand: true }));
  }

  /** Guarded files that are writable through another hard link, as one difference. */
  #hardLinks({ entries }: Fingerprint): readonly ObeyedDifference[] {
    const [first, ...others] = [...entries].filter(([path, { hasOtherName }]) => hasOtherName && this.#isCovered(path));
    if (first === undefined) return [];
    const more = others.length === 0 ? {} : { more: others.length };
    return [{ path: first[0], reader: first[1].reader, change: 'second-name', ...more }];
  }

  #isCovered(path: string): boolean {
    return this.#options.opened.guards?.covers(path) === true;
  }

  /** Paths that a new sandbox would guard and this one does not; empty where its guards are unknown. */
  #uncovered({ toGuard }: Fingerprint): readonly string[] {
    const { guards } = this.#options.opened;
    return guards === undefined ? [] : [...toGuard].filter((path) => !guards.covers(path));
  }

  /** Whether the report has not removed it. */
  #isStillThere(path: string, { entries }: Fingerprint): boolean {
    return !entries.has(path) || this.#at(path) !== undefined;
  }

  #at(path: string): BigIntStats | undefined {
    return lstatAt(`${this.#options.spec.workspace}/${path}`);
  }

  #guardedNow(): (path: string) => boolean {
    const lost = new Set(this.#options.opened.guards?.lost());
    return (path) => this.#isCovered(path) && ![...lost].some((each) => isInside(path, each));
  }
}

/** Whether files were removed: all of them, some of them, or those that a restored file replaced. */
function wasRemoved({ quarantined, restored }: ObeyedChange): boolean {
  return quarantined === true || restored !== undefined;
}

function above(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The paths that are new or changed between two snapshots, and all folders above them. */
function pathsAround(before: Fingerprint, after: Fingerprint): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const [path, { stamp }] of after.entries)
    if (before.entries.get(path)?.stamp !== stamp)
      for (let at = path; at !== '' && !paths.has(at); at = above(at)) paths.add(at);
  return paths;
}
