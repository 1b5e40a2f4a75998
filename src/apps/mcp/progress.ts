/** Progress notifications, about every second, for clients that request them. */
import type { ServerContext } from '@modelcontextprotocol/server';
import { shownText } from '../../policy/explain.ts';
import type { ToolResult } from '../../wire/tool.ts';
import { contentText } from './results.ts';

const EVERY_MS = 1_000;
const LONGEST_MESSAGE = 200;

export interface Progress {
  /** Sets the message to the last line of a partial result. */
  update(partial: ToolResult): void;
  /** Sets the message. */
  waitFor(what: string): void;
  stop(): void;
}

/** Undefined if the client did not request progress. */
export function progressOf({ mcpReq }: ServerContext, log: (message: string) => void): Progress | undefined {
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return undefined;
  const startedAt = Date.now();
  let latest: string | undefined;
  let count = 0;
  let isSending = false;

  const send = async (): Promise<void> => {
    if (isSending) return; // the client does not accept output at the moment
    isSending = true;
    const message = latest ?? `running for ${Math.round((Date.now() - startedAt) / 1_000)} s`;
    latest = undefined;
    try {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: ++count, message } });
    } catch (error) {
      clearInterval(timer);
      log(`cannot send progress: ${(error as Error).message}`);
    } finally {
      isSending = false;
    }
  };
  const timer = setInterval(() => void send(), EVERY_MS).unref();
  return {
    update(partial) {
      latest = lastLine(contentText(partial.content)) ?? latest;
    },
    waitFor(what) {
      latest = what;
    },
    stop: () => clearInterval(timer),
  };
}

/** The last non-empty line, shortened and without terminal control sequences. */
function lastLine(text: string): string | undefined {
  const line = text
    .slice(-4_096)
    .trimEnd()
    .split(/[\r\n]/u)
    .at(-1)
    ?.trim();
  return line === undefined || line === '' ? undefined : shownText(line).slice(0, LONGEST_MESSAGE);
}
