/**
 * Meets the engine before each container. Who it is and what it can hold takes podman seconds to say, so that is
 * remembered for a while, as long as the same socket is there and somebody answers.
 */
import { statSync } from 'node:fs';
import { EngineError } from './engine.ts';
import { factsOf } from './facts.ts';
import type { MetEngine } from './options.ts';
import { findEngine, type EngineName, type EnginePlaces } from './places.ts';
import { sweep } from './sweep.ts';

const REMEMBERED_MS = 60_000;
const PATIENCE_MS = 5_000;

interface Memory {
  readonly met: MetEngine;
  /** Names the socket as a file. */
  readonly stamp: string;
  readonly until: number;
}

/** Gives the engine; a fault says where was looked and what to do. */
export function createMeeting(name: EngineName, places: EnginePlaces): () => Promise<MetEngine> {
  let memory: Promise<Memory> | undefined;
  let swept: string | undefined;

  async function meet(): Promise<Memory> {
    const found = await findEngine(name, places);
    const met = { ...found, facts: await factsOf(found.engine, found.name) };
    const stamp = socketStamp(met.engine.socket);
    // What a gateway left that was killed, once for each engine; whatever cannot be removed now is for the next one.
    if (swept !== stamp) {
      swept = stamp;
      await sweep(met.engine);
    }
    return { met, stamp, until: performance.now() + REMEMBERED_MS };
  }

  return async () => {
    const before = memory;
    const known = await before?.catch(() => undefined); // whoever met nobody was told so
    if (known !== undefined && (await isStillThere(known))) return known.met;
    // Those who ask at the same time share the answer.
    const now = memory === before || memory === undefined ? meet() : memory;
    memory = now;
    return (await now).met;
  };
}

async function isStillThere({ met, stamp, until }: Memory): Promise<boolean> {
  if (performance.now() > until || socketStamp(met.engine.socket) !== stamp) return false;
  try {
    await met.engine.ask('HEAD', '/_ping', { timeoutMs: PATIENCE_MS });
    return true;
  } catch (error) {
    if (error instanceof EngineError) return false;
    throw error;
  }
}

/** Names a socket as a file; empty where it is not there. */
export function socketStamp(socket: string): string {
  const stats = statSync(socket, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${socket} ${stats.dev}:${stats.ino}:${stats.ctimeMs}`;
}
