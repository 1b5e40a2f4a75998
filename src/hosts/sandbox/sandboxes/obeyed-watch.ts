/** Looks before and after what runs in a sandbox whether it made or changed something that the host obeys, and whether a guard is missing. */
import type { BigIntStats } from 'node:fs';
import { isInside } from '../../../base/inside.ts';
import type { ObeyedChange } from '../../../wire/sandbox.ts';
import { lookAt } from '../../obeyed/file-stamp.ts';
import { differencesOf, type Fingerprint, type ObeyedDifference } from '../../obeyed/fingerprint.ts';
import { takeFingerprint } from '../../obeyed/take-fingerprint.ts';
import type { OpenSandbox, SandboxSpec } from '../backend.ts';
import { KeptContents, type KeptContent } from './kept-contents.ts';

/** What the look that found the differences knows beside them. */
export interface Look {
  /** The content of a path from before, where it is kept. */
  contentOf(path: string): KeptContent | undefined;
  /** `dev:ino` of what was at a path, where the look saw it. */
  identityOf(path: string): string | undefined;
  /** All paths that the look saw. */
  seen(): Iterable<string>;
  /** Why something may be the operator's own, whatever the look found there: it is at, above or below a guard. */
  whyGuarded(path: string): string | undefined;
  /** Why a new file may be the operator's own all the same. */
  whyOperators(path: string): string | undefined;
}

/** Answers differences, and says what became of each. */
export type Report = (differences: readonly ObeyedDifference[], look: Look) => Promise<readonly ObeyedChange[]>;

export interface WatchOptions {
  readonly spec: Pick<SandboxSpec, 'workspace' | 'workspaceAccess'>;
  readonly opened: Pick<OpenSandbox, 'guards'>;
  readonly report: Report;
  /** Whether changed files are restored, so that their contents have to be kept. */
  readonly keepsContents: boolean;
}

/** What was found before work begins. */
export interface Begun {
  readonly isAccepted: boolean;
  /** What has changed since the last look, by the host or by processes that were left behind. */
  readonly changes: readonly ObeyedChange[];
}

export class ObeyedWatch {
  readonly #options: WatchOptions;
  readonly #isOn: boolean;
  readonly #contents: KeptContents;
  /** The last one is what the next one is compared with. */
  #last: Fingerprint | undefined;
  /** Paths that work in this sandbox made: they were reported, and it may go on with them. */
  #own = new Set<string>();
  /** Paths that appeared while something ran: the host may have made them. */
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

  /** Work wants to begin; `accept` gets the paths that should be guarded and are not. One begins after the other. */
  begin(accept: (unguarded: readonly string[]) => boolean): Promise<Begun> {
    return this.#inTurn(async () => {
      const { unguarded, changes } = this.#isOn ? await this.#beforeWork() : { unguarded: [], changes: [] };
      const isAccepted = accept(unguarded);
      if (isAccepted) this.#running++;
      return { isAccepted, changes };
    });
  }

  /** Accepted work has ended; what changed since the last look. */
  end(): Promise<readonly ObeyedChange[]> {
    return this.#inTurn(async () => {
      this.#running--;
      return this.#isOn ? this.#afterWork() : [];
    });
  }

  /** The sandbox has ended; what has changed since the last look. */
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
    this.#turn = result.catch(() => {}); // the caller hears of it
    return result;
  }

  async #beforeWork(): Promise<{ unguarded: readonly string[]; changes: readonly ObeyedChange[] }> {
    const before = this.#last;
    const now = await this.#take();
    if (before !== undefined && this.isRunning) {
      // What is new is reported when the work that may have made it ends, so the last look stays.
      const unguarded = this.#uncovered(now).filter((path) => !this.#own.has(path));
      for (const path of unguarded) this.#unknown.add(path);
      return { unguarded, changes: [] };
    }
    this.#last = now;
    const differences = before === undefined ? this.#secondNames(now) : this.#betweenCommands(before, now);
    const changes = await this.#answer(differences, before);
    // What the host may have made or changed is guarded, also where work in this sandbox made it first.
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

  /** What was taken away is new when it comes again; what was restored is no difference, as long as nobody has changed it since. */
  async #answer(differences: readonly ObeyedDifference[], before?: Fingerprint): Promise<readonly ObeyedChange[]> {
    if (differences.length === 0) return [];
    const now = this.#last;
    const changes = await this.#options.report(differences, this.#lookOf(before, now));
    const taken = new Set(changes.filter(wasTaken).map(({ path }) => path));
    const entries = new Map(now?.entries);
    // A folder comes before what is in it.
    for (const path of now?.entries.keys() ?? []) {
      if (!taken.has(path) && !taken.has(above(path))) continue;
      taken.add(path);
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
      if (this.#isCovered(path)) return 'it is in a place that the sandbox guards';
      return this.#options.opened.guards?.isBelow(path) === true ? 'it has files that the sandbox guards' : undefined;
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

  /** What changed between two looks. What a guard holds was changed by the host, except through a second name. */
  #differences(before: Fingerprint, after: Fingerprint): readonly ObeyedDifference[] {
    const isHeld = this.#heldNow();
    // A second name may have been removed again.
    const hadOtherName = (path: string): boolean =>
      [before, after].some(({ entries }) => entries.get(path)?.hasOtherName === true);
    return differencesOf(before, after, (path) => this.#at(path) !== undefined).filter(({ path, change }) => {
      // Nothing inside removes what is guarded; placeholders go with the sandbox.
      if (change === 'gone') return !this.#isCovered(path);
      return change === 'not-searched' || hadOtherName(path) || !isHeld(path);
    });
  }

  /** Nothing that comes out of a sandbox says whether processes were left behind in it, so that all that is new counts. */
  #betweenCommands(before: Fingerprint, after: Fingerprint): readonly ObeyedDifference[] {
    const isKnown = new Set(before.unsearched.map(({ path }) => path));
    return this.#differences(before, after)
      .filter(({ path, change }) => change !== 'not-searched' || !isKnown.has(path))
      .map((each) => (each.change === 'not-searched' ? each : { ...each, sinceLastCommand: true }));
  }

  /** Guarded files that can be written all the same, as one difference. */
  #secondNames({ entries }: Fingerprint): readonly ObeyedDifference[] {
    const [first, ...others] = [...entries].filter(([path, { hasOtherName }]) => hasOtherName && this.#isCovered(path));
    if (first === undefined) return [];
    const more = others.length === 0 ? {} : { more: others.length };
    return [{ path: first[0], reader: first[1].reader, change: 'second-name', ...more }];
  }

  #isCovered(path: string): boolean {
    return this.#options.opened.guards?.covers(path) === true;
  }

  /** What a new sandbox would guard and this one does not; nothing where its guards are not known. */
  #uncovered({ toGuard }: Fingerprint): readonly string[] {
    const { guards } = this.#options.opened;
    return guards === undefined ? [] : [...toGuard].filter((path) => !guards.covers(path));
  }

  /** Whether the answer to a look has not taken it away. */
  #isStillThere(path: string, { entries }: Fingerprint): boolean {
    return !entries.has(path) || this.#at(path) !== undefined;
  }

  #at(path: string): BigIntStats | undefined {
    return lookAt(`${this.#options.spec.workspace}/${path}`);
  }

  #heldNow(): (path: string) => boolean {
    const lost = new Set(this.#options.opened.guards?.lost());
    return (path) => this.#isCovered(path) && ![...lost].some((each) => isInside(path, each));
  }
}

/** Whether something was taken away, as a whole, in part, or from the place of what is restored. */
function wasTaken({ quarantined, restored }: ObeyedChange): boolean {
  return quarantined === true || restored !== undefined;
}

function above(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The paths that are new or changed between two looks, and all folders above them. */
function pathsAround(before: Fingerprint, after: Fingerprint): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const [path, { stamp }] of after.entries)
    if (before.entries.get(path)?.stamp !== stamp)
      for (let at = path; at !== '' && !paths.has(at); at = above(at)) paths.add(at);
  return paths;
}
