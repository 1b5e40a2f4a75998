/** Removes unused containers: those of killed gateways, and earlier ones of a sandbox that is recreated. */
import { EngineError, type Engine } from './engine.ts';
import { isOrphan, LABELS, gatewayLabel } from './gateway-label.ts';

export interface ListedContainer {
  readonly id: string;
  readonly sandbox: string;
  readonly specification: string;
  readonly gateway: string;
  readonly isRunning: boolean;
}

const REMOVAL_MS = 20_000;
const POLL_MS = 50;

/** The containers of all gateways. */
export async function listContainers(engine: Engine): Promise<readonly ListedContainer[]> {
  const filters = JSON.stringify({ label: [LABELS.sandbox] });
  const answer = (await engine.ask('GET', '/containers/json', { query: { all: 'true', filters } })) as readonly {
    readonly Id: string;
    readonly State: string;
    readonly Labels?: Readonly<Record<string, string>> | null;
  }[];
  return answer.map(({ Id, State, Labels }) => ({
    id: Id,
    sandbox: Labels?.[LABELS.sandbox] ?? '',
    specification: Labels?.[LABELS.specification] ?? '',
    gateway: Labels?.[LABELS.gateway] ?? '',
    isRunning: State === 'running',
  }));
}

/** Removes the containers of dead gateways; returns the ids of their sandboxes. */
export async function sweep(engine: Engine): Promise<readonly string[]> {
  const orphans = (await listContainers(engine)).filter(({ gateway, isRunning }) => isOrphan(gateway, isRunning));
  for (const { id } of orphans) await removeContainer(engine, id);
  return orphans.map(({ sandbox }) => sandbox);
}

/** Removes earlier containers of a sandbox, by this or a dead gateway: their streams cannot be attached again. */
export async function removeEarlier(engine: Engine, sandbox: string): Promise<void> {
  const own = gatewayLabel();
  for (const each of await listContainers(engine)) {
    if (each.sandbox !== sandbox) continue;
    if (each.gateway === own || isOrphan(each.gateway, each.isRunning)) await removeContainer(engine, each.id);
  }
}

/** Kills and removes a container; resolves when it no longer exists. */
export async function removeContainer(engine: Engine, id: string): Promise<void> {
  try {
    await engine.ask('DELETE', `/containers/${id}`, { query: { force: 'true', v: 'true' }, timeoutMs: REMOVAL_MS });
  } catch (error) {
    // 404: already removed; 409: removal in progress. Podman answers 500 when the container ends at the same time.
    if (!(error instanceof EngineError) || error.status === 0) throw error;
    if (![404, 409, 500].includes(error.status)) throw error;
  }
  await untilRemoved(engine, id);
}

async function untilRemoved(engine: Engine, id: string): Promise<void> {
  for (const until = Date.now() + REMOVAL_MS; ; ) {
    try {
      await engine.ask('GET', `/containers/${id}/json`);
    } catch (error) {
      if (error instanceof EngineError && error.status === 404) return;
      throw error;
    }
    if (Date.now() > until) throw new EngineError(0, `container ${id.slice(0, 12)} could not be removed`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
