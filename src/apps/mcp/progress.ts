/** Tells a client that asked for it that a call is alive, about every second. */
import type { ServerContext } from '@modelcontextprotocol/server';
import { shownText } from '../../policy/explain.ts';
import type { ToolResult } from '../../wire/tool.ts';
import { textOf } from './results.ts';

const EVERY_MS = 1_000;
const LONGEST_MESSAGE = 200;

export interface Progress {
  /** Hears what there is so far of the answer. */
  hear(partial: ToolResult): void;
  /** Says instead what is waited for. */
  waitFor(what: string): void;
  stop(): void;
}

/** The progress of a request; undefined when its client did not ask for any. */
export function progressOf({ mcpReq }: ServerContext, log: (message: string) => void): Progress | undefined {
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return undefined;
  const startedAt = Date.now();
  let latest: string | undefined;
  let count = 0;
  let isSending = false;

  const tell = async (): Promise<void> => {
    if (isSending) return; // the client takes nothing just now
    isSending = true;
    const message = latest ?? `running for ${Math.round((Date.now() - startedAt) / 1_000)} s`;
    latest = undefined;
    try {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: ++count, message } });
    } catch (error) {
      clearInterval(timer);
      log(`progress could not be told: ${(error as Error).message}`);
    } finally {
      isSending = false;
    }
  };
  const timer = setInterval(() => void tell(), EVERY_MS).unref();
  return {
    hear(partial) {
      latest = lastLine(textOf(partial.content)) ?? latest;
    },
    waitFor(what) {
      latest = what;
    },
    stop: () => clearInterval(timer),
  };
}

/** The last line with something on it, short and without what a terminal would obey. */
function lastLine(text: string): string | undefined {
  const line = text
    .slice(-4_096)
    .trimEnd()
    .split(/[\r\n]/u)
    .at(-1)
    ?.trim();
  return line === undefined || line === '' ? undefined : shownText(line).slice(0, LONGEST_MESSAGE);
}
