/** Looks before and after what runs in a sandbox whether it made or changed something that the host obeys, and whether a guard is missing. */
import type { ObeyedChange } from '../../../wire/sandbox.ts';
import { lookAt } from '../../obeyed/file-stamp.ts';
import { differencesOf, type Fingerprint, type ObeyedDifference } from '../../obeyed/fingerprint.ts';
import { takeFingerprint } from '../../obeyed/take-fingerprint.ts';
import type { OpenSandbox, SandboxSpec } from '../backend.ts';
import { KeptContents, type KeptContent } from './kept-contents.ts';

/** Answers differences, and says what became of each; gives the content of a path from before where that is kept. */
export type Report = (
  differences: readonly ObeyedDifference[],
  contentOf: (path: string) => KeptContent | undefined,
) => Promise<readonly ObeyedChange[]>;

export interface WatchOptions {
  readonly spec: Pick<SandboxSpec, 'workspace' | 'workspaceAccess'>;
  readonly opened: Pick<OpenSandbox, 'guards' | 'hasLeftovers'>;
  readonly report: Report;
  /** Whether changed files are restored, so that their contents have to be kept. */
  readonly keepsContents: boolean;
}

/** What was found before work begins. */
export interface Begun {
  readonly isAccepted: boolean;
  /** What processes that were left behind have changed since the last look. */
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
  /** Processes that commands left behind may have changed something since the last look. */
  #mayHaveLeftovers = false;
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
      if (!this.#isOn) return [];
      this.#mayHaveLeftovers = true;
      // Asked before the look: without processes nothing can change afterwards.
      const { hasLeftovers = () => true } = this.#options.opened;
      if (this.#running === 0) this.#mayHaveLeftovers = hasLeftovers();
      return this.#afterWork();
    });
  }

  /** The sandbox has ended; what processes left behind have changed since the last look. */
  endOfSandbox(): Promise<readonly ObeyedChange[]> {
    return this.#inTurn(async () => {
      if (!this.#isOn || this.#running > 0 || !this.#mayHaveLeftovers) return [];
      this.#mayHaveLeftovers = false;
      return this.#afterWork();
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
    const mayBeOwn = before !== undefined && this.#mayHaveLeftovers;
    const differences = before === undefined ? this.#secondNames(now) : mayBeOwn ? this.#differences(before, now) : [];
    const changes = await this.#answer(differences);
    // Without processes inside, the host made what is new or changed.
    const touched = before === undefined || mayBeOwn ? new Set<string>() : pathsAround(before, now);
    const unguarded = this.#uncovered(now).filter((path) => !this.#own.has(path) || touched.has(path));
    if (this.#options.keepsContents) await this.#contents.keep(now, (path) => this.#isCovered(path));
    return { unguarded: unguarded.filter((path) => this.#isStillThere(path, now)), changes };
  }

  async #afterWork(): Promise<readonly ObeyedChange[]> {
    const before = this.#last;
    const after = await this.#take();
    const differences = before === undefined ? [] : this.#differences(before, after);
    this.#last = after;
    const changes = await this.#answer(differences);
    const own = this.#uncovered(after).filter((path) => !this.#unknown.has(path) && this.#isStillThere(path, after));
    this.#own = new Set(own);
    return changes;
  }

  /** What was taken away is new when it comes again; what was restored is no difference, as long as nobody has changed it since. */
  async #answer(differences: readonly ObeyedDifference[]): Promise<readonly ObeyedChange[]> {
    if (differences.length === 0) return [];
    const changes = await this.#options.report(differences, (path) => this.#contents.of(path));
    const taken = new Set(changes.filter(({ quarantined }) => quarantined === true).map(({ path }) => path));
    const entries = new Map([...(this.#last?.entries ?? [])].filter(([path]) => !isAtOrBelow(path, taken)));
    for (const { path, restored } of changes) {
      const entry = entries.get(path);
      const stamp = restored === undefined ? undefined : this.#contents.stampIfKept(path);
      if (entry !== undefined && stamp !== undefined) entries.set(path, { ...entry, stamp });
    }
    if (this.#last !== undefined) this.#last = { ...this.#last, entries };
    return changes;
  }

  #take(): Promise<Fingerprint> {
    return takeFingerprint(this.#options.spec.workspace, this.#options.opened.guards?.paths);
  }

  /** What changed between two looks. What a guard holds was changed by the host, except through a second name. */
  #differences(before: Fingerprint, after: Fingerprint): readonly ObeyedDifference[] {
    const isHeld = this.#heldNow();
    return differencesOf(before, after).filter(
      ({ path, change }) =>
        change === 'not-searched' || after.entries.get(path)?.hasOtherName === true || !isHeld(path),
    );
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
    return !entries.has(path) || lookAt(`${this.#options.spec.workspace}/${path}`) !== undefined;
  }

  #heldNow(): (path: string) => boolean {
    const lost = new Set(this.#options.opened.guards?.lost());
    return (path) => this.#isCovered(path) && ![...lost].some((each) => `${path}/`.startsWith(`${each}/`));
  }
}

function isAtOrBelow(path: string, folders: ReadonlySet<string>): boolean {
  if (folders.size === 0) return false;
  for (let at = path; at !== ''; at = above(at)) if (folders.has(at)) return true;
  return false;
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
