/** Gateways that die, stop and return at any point, with servers whose answers get lost: each end is reported once. */
import { expect, it } from 'vitest';
import type { Entry, Written } from '../../../../src/hosts/nodes/fleet/bucket.ts';
import { createRequestOwners, type RequestBucket } from '../../../../src/hosts/nodes/fleet/request-owners.ts';
import type { OpenRequest } from '../../../../src/wire/nodes/open-request.ts';
import { runs, withSeed } from '../../../support/budget.ts';

type Next = () => number;

const NODE = 'n'.repeat(32);
const request = (key: string): OpenRequest => ({
  key,
  node: { id: NODE, name: 'mac' },
  caller: { agent: 'main' },
  command: 'make',
  cwd: '/w',
  sentAt: 1,
  timeout: 0,
  stdin: 'closed',
  settings: {
    notifyOnExit: true,
    notifyOnExitEmptySuccess: true,
    approvalRunningNoticeMs: 0,
    maxLogBytes: 1,
    cleanupMs: 1,
  },
  store: 's',
  session: 'brisk-otter',
  state: 'running',
  isKillWanted: false,
});

/** All that waits. The order in which it continues is random. */
class Turns {
  readonly #waiting: (() => void)[] = [];
  readonly #next: Next;

  constructor(next: Next) {
    this.#next = next;
  }

  wait(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0;
  }

  async step(): Promise<void> {
    this.#waiting.splice(Math.floor(this.#next() * this.#waiting.length), 1)[0]?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The servers: one value per key, with the number of its last change. */
class Servers {
  readonly values = new Map<string, Entry>();
  revision = 0;
}

interface World {
  readonly next: Next;
  readonly turns: Turns;
  readonly servers: Servers;
  /** Who reported the end of a request. */
  readonly told: Map<string, string[]>;
  readonly endedKeys: Set<string>;
  readonly gateways: readonly Machine[];
  hasFaults: boolean;
}

const NEVER = new Promise<never>(() => {});

/** The bucket as one process sees it. Its copy of the values may be old; answers may get lost; the process may die at each step. */
function bucketOf(world: World, life: Life): RequestBucket {
  const { servers, turns, next } = world;
  const copy = new Map<string, Entry>();
  const step = async (): Promise<void> => {
    await turns.wait();
    if (life.isOver) await NEVER;
  };
  /** What one process sends arrives in this order. */
  let arrived: Promise<void> = Promise.resolve();
  const write = async (key: string, isAllowed: () => boolean, entry: Entry | undefined): Promise<Written> => {
    await (arrived = arrived.then(step));
    const isLost = world.hasFaults && next() < 0.1;
    const isDone = isAllowed() && !(isLost && next() < 0.5);
    if (isDone && entry === undefined) servers.values.delete(key);
    else if (isDone) servers.values.set(key, entry!);
    const wasAllowed = isDone || isAllowed();
    await step();
    if (isLost) return 'unsure';
    if (!wasAllowed) return 'conflict';
    if (entry === undefined) copy.delete(key);
    else copy.set(key, entry);
    return { revision: entry?.revision ?? 0 };
  };
  const current = (key: string): number => servers.values.get(key)?.revision ?? 0;
  life.watch = () => {
    for (const key of [...copy.keys(), ...servers.values.keys()]) {
      const entry = servers.values.get(key);
      if (world.hasFaults && next() < 0.5) continue;
      if (entry === undefined) copy.delete(key);
      else copy.set(key, entry);
    }
  };
  return {
    entries: () => copy,
    async get(key) {
      await (arrived = arrived.then(step));
      const entry = servers.values.get(key);
      if (entry === undefined) copy.delete(key);
      else copy.set(key, entry);
      await step();
      if (world.hasFaults && next() < 0.05) throw new Error('no answer');
      return copy.get(key);
    },
    create: (key, value) => write(key, () => current(key) === 0, { value, revision: ++servers.revision }),
    update: (key, value, revision) =>
      write(key, () => current(key) === revision, { value, revision: ++servers.revision }),
    remove: (key, revision) => write(key, () => current(key) === revision, undefined),
  };
}

interface Life {
  pass: Promise<void>;
  isOver: boolean;
  watch: () => void;
}

/** A gateway: what is on its disk, and its process. */
class Machine {
  readonly id: string;
  readonly #world: World;
  readonly #open = new Map<string, OpenRequest>();
  readonly #shared = new Set<string>();
  #life: Life = { isOver: true, watch: () => {}, pass: Promise.resolve() };
  #bucket: RequestBucket | undefined;
  #owners: ReturnType<typeof createRequestOwners> | undefined;
  readonly #ending = new Set<string>();

  constructor(world: World, id: string) {
    this.#world = world;
    this.id = id;
  }

  get isAlive(): boolean {
    return !this.#life.isOver;
  }

  get shared(): readonly string[] {
    return [...this.#shared];
  }

  kill(): void {
    this.#life.isOver = true;
  }

  start(): void {
    const life: Life = { isOver: false, watch: () => {}, pass: Promise.resolve() };
    this.#life = life;
    this.#ending.clear();
    this.#bucket = bucketOf(this.#world, life);
    this.#owners = createRequestOwners({
      gateway: () => this.id,
      requests: {
        get: (key) => this.#open.get(key),
        shared: () => [...this.#shared].map((key) => ({ key, request: this.#open.get(key) })),
        isShared: (key) => this.#shared.has(key),
        unshare: (key) => void this.#shared.delete(key),
      },
      hasNode: () => true,
      adopt: (found) => {
        if (this.#open.has(found.key)) throw new Error('it is here already');
        this.#open.set(found.key, found);
        this.#shared.add(found.key);
      },
      leave: ({ key }) => this.#forget(key),
      log: () => {},
    });
  }

  send(key: string): void {
    this.#open.set(key, request(key));
    this.#shared.add(key);
    this.#run(this.#owners!.copy(this.#bucket!, key));
  }

  pass(): void {
    this.#life.watch();
    const { next, gateways, hasFaults } = this.#world;
    const isDead = (id: string): boolean => gateways.some((one) => one.id === id && !one.isAlive);
    // A gateway that was stopped for a while counts as dead, and is not.
    const hasLapsed = async (id: string): Promise<boolean> => isDead(id) || (hasFaults && next() < 0.1);
    const [owners, bucket] = [this.#owners!, this.#bucket!];
    const pass = async (): Promise<void> => owners.pass(bucket, { hasLapsed, takes: async () => true });
    this.#life.pass = this.#life.pass.then(pass).catch(() => {}); // the next one repeats it
  }

  /** Reports the requests whose command has ended. */
  report(): void {
    for (const key of this.#open.keys())
      if (this.#world.endedKeys.has(key) && !this.#ending.has(key)) this.#run(this.#reportOne(key));
  }

  async #reportOne(key: string): Promise<void> {
    this.#ending.add(key);
    const life = this.#life;
    try {
      for (;;) {
        const isOurs = await this.#owners!.claim(this.#bucket!, key).catch(() => undefined);
        if (life.isOver || !this.#open.has(key)) return;
        if (isOurs === undefined) continue;
        if (!isOurs) return this.#forget(key);
        this.#open.delete(key); // one transaction with the notice
        this.#world.told.set(key, [...(this.#world.told.get(key) ?? []), this.id]);
        return;
      }
    } finally {
      if (this.#life === life) this.#ending.delete(key);
    }
  }

  #forget(key: string): void {
    this.#open.delete(key);
    this.#shared.delete(key);
  }

  #run(work: Promise<unknown>): void {
    work.catch(() => {}); // a pass repeats it
  }
}

async function simulate(next: Next): Promise<object> {
  const gateways: Machine[] = [];
  const world: World = {
    next,
    turns: new Turns(next),
    servers: new Servers(),
    told: new Map(),
    endedKeys: new Set(),
    gateways,
    hasFaults: true,
  };
  for (const letter of 'abc') gateways.push(new Machine(world, letter.repeat(32)));
  for (const gateway of gateways) gateway.start();
  const sent: string[] = [];
  const any = (): Machine => gateways[Math.floor(next() * gateways.length)]!;
  for (let step = 0; step < 400; step++) {
    const gateway = any();
    const chance = next();
    if (chance < 0.02) gateway.kill();
    else if (chance < 0.06 && !gateway.isAlive) gateway.start();
    else if (chance < 0.16 && sent.length < 8 && gateway.isAlive) {
      const key = `00000000-0000-4000-8000-${String(sent.length).padStart(12, '0')}`;
      sent.push(key);
      gateway.send(key);
    } else if (chance < 0.2) for (const key of sent) world.endedKeys.add(key);
    else if (chance < 0.4 && gateway.isAlive) gateway.pass();
    else if (chance < 0.5 && gateway.isAlive) gateway.report();
    await world.turns.step();
  }
  world.hasFaults = false;
  for (const key of sent) world.endedKeys.add(key);
  for (let round = 0; round < 8; round++) {
    for (const gateway of gateways) {
      if (!gateway.isAlive) gateway.start();
      gateway.report();
      gateway.pass();
    }
    do await world.turns.step();
    while (!world.turns.isIdle);
  }
  const counts = sent.map((key) => world.told.get(key)?.length ?? 0);
  const left = gateways.flatMap(({ shared }) => shared);
  const open = [...world.servers.values.values()].filter(({ value }) => value.includes('"request"'));
  return { wrong: counts.filter((count) => count !== 1), left, open };
}

it(
  'reports each end once, whichever gateway dies when',
  withSeed(async (next) => {
    for (let run = 0; run < runs(150); run++) expect(await simulate(next)).toEqual({ wrong: [], left: [], open: [] });
  }),
);
