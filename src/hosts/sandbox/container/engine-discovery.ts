/**
 * Finds the engine before each container is created. Podman takes seconds to report its version and features, so the result
 * is cached for a while, as long as the socket is the same and the engine answers.
 */
import { statSync } from 'node:fs';
import { EngineError } from './engine.ts';
import { factsOf } from './facts.ts';
import type { ConnectedEngine } from './options.ts';
import { findEngine, type EngineName, type EnginePlaces } from './find-engine.ts';
import { sweep } from './sweep.ts';

const CACHE_MS = 60_000;
const PING_TIMEOUT_MS = 5_000;

interface CachedEngine {
  readonly connected: ConnectedEngine;
  readonly stamp: string;
  readonly until: number;
}

/** The result throws a fault where no engine answers. */
export function createEngineDiscovery(name: EngineName, places: EnginePlaces): () => Promise<ConnectedEngine> {
  let cached: Promise<CachedEngine> | undefined;
  let swept: string | undefined;

  async function discover(): Promise<CachedEngine> {
    const found = await findEngine(name, places);
    const connected = { ...found, facts: await factsOf(found.engine, found.name) };
    const stamp = socketStamp(connected.engine.socket);
    // Removes the containers of killed gateways, once per engine.
    if (swept !== stamp) {
      swept = stamp;
      await sweep(connected.engine);
    }
    return { connected, stamp, until: performance.now() + CACHE_MS };
  }

  return async () => {
    const before = cached;
    const known = await before?.catch(() => undefined); // the earlier caller received the error
    if (known !== undefined && (await isValid(known))) return known.connected;
    // Concurrent callers share the result.
    const now = cached === before || cached === undefined ? discover() : cached;
    cached = now;
    return (await now).connected;
  };
}

async function isValid({ connected, stamp, until }: CachedEngine): Promise<boolean> {
  if (performance.now() > until || socketStamp(connected.engine.socket) !== stamp) return false;
  try {
    await connected.engine.ask('HEAD', '/_ping', { timeoutMs: PING_TIMEOUT_MS });
    return true;
  } catch (error) {
    if (error instanceof EngineError) return false;
    throw error;
  }
}

/** Identifies a socket file; empty where it does not exist. */
export function socketStamp(socket: string): string {
  const stats = statSync(socket, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${socket} ${stats.dev}:${stats.ino}:${stats.ctimeMs}`;
}
