/** Who may open a sandbox now. */
import type { OpenSandbox } from '../backend.ts';

/** Opens when it is this sandbox's turn. */
export type InTurn = (id: string, open: () => Promise<OpenSandbox>) => Promise<OpenSandbox>;

/**
 * One sandbox of a name at a time: the earlier one has ended, with all that it left in the workspace, before the next is
 * made. And so many of all names are opening at once.
 */
export function createTurns(atOnce: number): InTurn {
  const latest = new Map<string, Promise<OpenSandbox | undefined>>();
  const waiting: (() => void)[] = [];
  let opening = 0;

  const limited = async (open: () => Promise<OpenSandbox>): Promise<OpenSandbox> => {
    if (opening >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else opening++;
    try {
      return await open();
    } finally {
      // Whoever waits longest takes over the place.
      const next = waiting.shift();
      if (next === undefined) opening--;
      else next();
    }
  };

  return (id, open) => {
    const earlier = latest.get(id);
    const turn = (async () => {
      await (await earlier)?.end();
      return limited(open);
    })();
    const settled = turn.catch(() => undefined);
    latest.set(id, settled);
    void settled.then(async (box) => {
      await box?.ended;
      if (latest.get(id) === settled) latest.delete(id);
    });
    return turn;
  };
}
