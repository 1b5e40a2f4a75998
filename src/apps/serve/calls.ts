/** Tracks running tool calls, so that a stopping server can wait for them. */
import type { Toolbox } from '../assemble.ts';

export interface Calls {
  readonly running: number;
  /** Wraps a toolbox to track its calls. */
  track(toolbox: Toolbox): Toolbox;
  /** Resolves when no call is running. */
  idle(): Promise<void>;
}

export function createCalls(): Calls {
  let running = 0;
  const waiting = new Set<() => void>();
  async function during<T>(work: Promise<T>): Promise<T> {
    running++;
    try {
      return await work;
    } finally {
      running--;
      if (running === 0) for (const resolve of waiting) resolve();
    }
  }
  return {
    get running() {
      return running;
    },
    track: (toolbox) => ({
      names: toolbox.names,
      sandboxed: toolbox.sandboxed,
      node: toolbox.node,
      hides: (names, content) => toolbox.hides(names, content),
      secretsView: toolbox.secretsView,
      tools: () => toolbox.tools(),
      call: (name, args, options) => during(toolbox.call(name, args, options)),
      decide: (answer, options) => during(toolbox.decide(answer, options)),
    }),
    idle: () => new Promise((resolve) => (running === 0 ? resolve() : waiting.add(resolve))),
  };
}
