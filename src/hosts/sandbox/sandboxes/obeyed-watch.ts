/** Looks before and after what runs in a sandbox whether it made or changed something that the host obeys. */
import { differencesOf, type Fingerprint, type ObeyedDifference } from '../../obeyed/fingerprint.ts';
import { takeFingerprint } from '../../obeyed/take-fingerprint.ts';
import type { OpenSandbox, SandboxSpec } from '../backend.ts';

export class ObeyedWatch {
  readonly #workspace: string;
  readonly #opened: Pick<OpenSandbox, 'guards' | 'hasLeftovers'>;
  readonly #isOn: boolean;
  /** The last one is what the next one is compared with. */
  #last: Fingerprint | undefined;
  /** Processes that commands left behind may have changed something since the last look. */
  #mayHaveLeftovers = false;
  #turn: Promise<unknown> = Promise.resolve();
  #atWork = 0;

  constructor({ workspace, workspaceAccess }: SandboxSpec, opened: Pick<OpenSandbox, 'guards' | 'hasLeftovers'>) {
    this.#workspace = workspace;
    this.#opened = opened;
    this.#isOn = workspaceAccess === 'rw';
  }

  /** A command begins; resolves when it may start, with what processes left behind have changed since the last look. */
  async begin(): Promise<readonly ObeyedDifference[]> {
    if (!this.#isOn) return [];
    this.#atWork++;
    try {
      return await this.#inTurn(() => this.#beforeWork());
    } catch (error) {
      this.#atWork--;
      throw error;
    }
  }

  /** A command has ended; what changed since the last look. */
  async end(): Promise<readonly ObeyedDifference[]> {
    if (!this.#isOn) return [];
    return this.#inTurn(async () => {
      this.#atWork--;
      this.#mayHaveLeftovers = true;
      // Asked before the look: without processes nothing can change afterwards.
      const { hasLeftovers = () => true } = this.#opened;
      if (this.#atWork === 0) this.#mayHaveLeftovers = hasLeftovers();
      return this.#compare();
    });
  }

  /** The sandbox has ended; what processes left behind have changed since the last look. */
  async endOfSandbox(): Promise<readonly ObeyedDifference[]> {
    return this.#inTurn(async () => {
      if (!this.#isOn || this.#atWork > 0 || !this.#mayHaveLeftovers) return [];
      this.#mayHaveLeftovers = false;
      return this.#compare();
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {}); // the caller hears of it
    return result;
  }

  async #beforeWork(): Promise<readonly ObeyedDifference[]> {
    if (this.#last !== undefined && this.#atWork > 1) return [];
    if (this.#last !== undefined && this.#mayHaveLeftovers) return this.#compare();
    const isFirst = this.#last === undefined;
    // Without processes inside, the host made what is new.
    this.#last = await this.#take();
    return isFirst ? this.#secondNames(this.#last) : [];
  }

  #take(): Promise<Fingerprint> {
    return takeFingerprint(this.#workspace, this.#opened.guards?.paths);
  }

  /** What changed since the last look. What a guard holds was changed by the host, except through a second name. */
  async #compare(): Promise<readonly ObeyedDifference[]> {
    const before = this.#last;
    const after = await this.#take();
    const isHeld = this.#heldNow();
    this.#last = after;
    if (before === undefined) return [];
    return differencesOf(before, after).filter(
      ({ path, change }) =>
        change === 'not-searched' || after.entries.get(path)?.hasOtherName === true || !isHeld(path),
    );
  }

  /** Guarded files that can be written all the same, as one difference. */
  #secondNames({ entries }: Fingerprint): readonly ObeyedDifference[] {
    const guards = this.#opened.guards;
    const [first, ...others] = [...entries].filter(
      ([path, { hasOtherName }]) => hasOtherName && guards?.covers(path) === true,
    );
    if (first === undefined) return [];
    const more = others.length === 0 ? {} : { more: others.length };
    return [{ path: first[0], reader: first[1].reader, change: 'second-name', ...more }];
  }

  #heldNow(): (path: string) => boolean {
    const guards = this.#opened.guards;
    const lost = new Set(guards?.lost());
    return (path) => guards?.covers(path) === true && ![...lost].some((each) => `${path}/`.startsWith(`${each}/`));
  }
}
