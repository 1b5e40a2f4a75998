/** Looks before and after what runs in a sandbox whether it made or changed something that the host obeys. */
import { differencesOf, takeFingerprint, type Fingerprint, type ObeyedDifference } from '../../obeyed/fingerprint.ts';
import type { OpenSandbox, SandboxSpec } from '../backend.ts';

/** More than these are counted by the last one. */
const MOST_TOLD = 50;

export class ObeyedWatch {
  readonly #workspace: string;
  readonly #guards: OpenSandbox['guards'];
  readonly #isOn: boolean;
  /** What was there before those who are at work began; absent while nobody is. */
  #before: Promise<Fingerprint> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #atWork = 0;

  constructor({ workspace, workspaceAccess }: SandboxSpec, guards: OpenSandbox['guards']) {
    this.#workspace = workspace;
    this.#guards = guards;
    this.#isOn = workspaceAccess === 'rw';
  }

  /** Somebody begins to work; resolves when that may start. */
  async begin(): Promise<void> {
    if (!this.#isOn) return;
    this.#atWork++;
    this.#before ??= takeFingerprint(this.#workspace);
    await this.#before;
  }

  /** Somebody has ended; what changed since the last look. What is guarded was changed by others. */
  end(): Promise<readonly ObeyedDifference[]> {
    if (!this.#isOn) return Promise.resolve([]);
    const differences = this.#turn.then(() => this.#compare());
    this.#turn = differences.catch(() => {}); // whoever waits for it hears of it
    return differences;
  }

  async #compare(): Promise<readonly ObeyedDifference[]> {
    const before = await this.#before;
    const after = await takeFingerprint(this.#workspace);
    this.#atWork--;
    this.#before = this.#atWork === 0 ? undefined : Promise.resolve(after);
    if (before === undefined) return [];
    const guards = this.#guards;
    const lost = new Set(guards?.lost());
    const isHeld = (path: string): boolean =>
      guards?.covers(path) === true && ![...lost].some((each) => `${path}/`.startsWith(`${each}/`));
    return differencesOf(before, after)
      .filter(({ path }) => !isHeld(path))
      .slice(0, MOST_TOLD);
  }
}
