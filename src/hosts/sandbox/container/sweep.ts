/** Containers that nobody needs any more: those of gateways that died, and earlier ones of a sandbox that is made anew. */
import { EngineError, type Engine } from './engine.ts';
import { isOrphan, LABELS, thisGateway } from './owner.ts';

/** One container of ours, as the engine lists it. */
export interface Listed {
  readonly id: string;
  readonly sandbox: string;
  readonly specification: string;
  readonly gateway: string;
  readonly isRunning: boolean;
}

const REMOVAL_MS = 20_000;
const LOOK_MS = 50;

/** All containers of ours, of whatever gateway. */
export async function listContainers(engine: Engine): Promise<readonly Listed[]> {
  const filters = JSON.stringify({ label: [LABELS.sandbox] });
  const told = (await engine.ask('GET', '/containers/json', { query: { all: 'true', filters } })) as readonly {
    readonly Id: string;
    readonly State: string;
    readonly Labels?: Readonly<Record<string, string>> | null;
  }[];
  return told.map(({ Id, State, Labels }) => ({
    id: Id,
    sandbox: Labels?.[LABELS.sandbox] ?? '',
    specification: Labels?.[LABELS.specification] ?? '',
    gateway: Labels?.[LABELS.gateway] ?? '',
    isRunning: State === 'running',
  }));
}

/** Removes what gateways left that are certainly dead; gives the sandboxes whose containers those were. */
export async function sweep(engine: Engine): Promise<readonly string[]> {
  const orphans = (await listContainers(engine)).filter(({ gateway, isRunning }) => isOrphan(gateway, isRunning));
  for (const { id } of orphans) await remove(engine, id);
  return orphans.map(({ sandbox }) => sandbox);
}

/** Removes what this gateway, or a dead one, made for a sandbox before: its stream cannot be taken up again. */
export async function removeEarlier(engine: Engine, sandbox: string): Promise<void> {
  const own = thisGateway();
  for (const each of await listContainers(engine)) {
    if (each.sandbox !== sandbox) continue;
    if (each.gateway === own || isOrphan(each.gateway, each.isRunning)) await remove(engine, each.id);
  }
}

/** Ends everything in a container at once and removes it; resolves when it is gone. */
export async function remove(engine: Engine, id: string): Promise<void> {
  try {
    await engine.ask('DELETE', `/containers/${id}`, { query: { force: 'true', v: 'true' }, timeoutMs: REMOVAL_MS });
  } catch (error) {
    // 404: gone already; 409: on its way. Podman says 500 when it ends by itself in the same moment.
    if (!(error instanceof EngineError) || error.status === 0) throw error;
    if (![404, 409, 500].includes(error.status)) throw error;
  }
  await gone(engine, id);
}

async function gone(engine: Engine, id: string): Promise<void> {
  for (const until = Date.now() + REMOVAL_MS; ; ) {
    try {
      await engine.ask('GET', `/containers/${id}/json`);
    } catch (error) {
      if (error instanceof EngineError && error.status === 404) return;
      throw error;
    }
    if (Date.now() > until) throw new EngineError(0, `container ${id.slice(0, 12)} could not be removed`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
