import type { Order, Report } from '../hosts/process/protocol.ts';
import type { Spawner } from '../hosts/process/spawner.ts';
import { createEngine } from './engine.ts';

/** A spawner that is no process of its own: it works where it is. */
export function startWithin(hello: Order, report: (report: Report) => void): Spawner {
  const engine = createEngine(report);
  engine.obey(hello);
  return { send: (order) => engine.obey(order), hold: () => {}, close: () => engine.end() };
}
