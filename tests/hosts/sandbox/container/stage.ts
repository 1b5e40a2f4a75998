/** A real engine, a backend on it, and a container that tests share. */
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import { Fault } from '../../../../src/base/fault.ts';
import type { SandboxSpec } from '../../../../src/hosts/sandbox/backend.ts';
import { engineAt, type Engine } from '../../../../src/hosts/sandbox/container/engine.ts';
import type { EngineName } from '../../../../src/hosts/sandbox/container/find-engine.ts';
import { openBox, type Box, type BoxOptions } from '../../../contracts/sandbox-escape/box.ts';
import { engineBackend, type EngineBackend } from '../../../support/engines/backend.ts';
import { startEngine, type RunningEngine } from '../../../support/engines/engine.ts';
import { makeFolder } from '../../../support/folder.ts';

export const MIB = 1024 * 1024;

export interface Stage {
  readonly name: EngineName;
  readonly running: RunningEngine;
  readonly engine: Engine;
  readonly made: EngineBackend;
  readonly shared: Box;
  /** Opens one that ends with the test. */
  open(options?: BoxOptions): Promise<Box>;
  /** The fault of one that cannot be opened. */
  faultOf(options: Partial<SandboxSpec>): Promise<Fault>;
}

/** Runs tests on a real engine; where there is none, they count as skipped, and the reason is in their name. */
export async function onStage(name: EngineName, tests: (stage: Stage) => void): Promise<void> {
  const started = await startEngine(name);
  const reason = started.trouble === undefined ? '' : ` (not run: ${started.trouble})`;
  afterAll(() => started.stop(), 60_000);
  describe.skipIf(started.trouble !== undefined)(`a ${name} container${reason}`, () => {
    const stage = new RealStage(name, started as RunningEngine);
    beforeAll(() => stage.set(), 120_000);
    afterAll(() => stage.strike(), 60_000);
    tests(stage);
  });
}

class RealStage implements Stage {
  readonly name: EngineName;
  readonly running: RunningEngine;
  made!: EngineBackend;
  engine!: Engine;
  shared!: Box;

  constructor(name: EngineName, running: RunningEngine) {
    this.name = name;
    this.running = running;
  }

  async set(): Promise<void> {
    this.made = engineBackend(this.running);
    this.engine = engineAt(this.running.socket, '1.41');
    this.shared = await openBox(this.made.backend, {
      limits: { tmpBytes: 16 * MIB, memoryBytes: 256 * MIB, pids: 100 },
    });
  }

  async strike(): Promise<void> {
    await this.shared.end();
    this.made.clean();
  }

  async open(options: BoxOptions = {}): Promise<Box> {
    const box = await openBox(this.made.backend, { workspace: makeFolder(), ...options });
    onTestFinished(() => box.end());
    return box;
  }

  async faultOf(options: Partial<SandboxSpec>): Promise<Fault> {
    try {
      const box = await openBox(this.made.backend, { workspace: makeFolder(), ...options });
      await box.end();
    } catch (error) {
      if (error instanceof Fault) return error;
      throw error;
    }
    throw new Error('expected a fault, but there was none');
  }
}
