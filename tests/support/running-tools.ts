import { join } from 'node:path';
import type { ConfigFile } from '../../src/config/schema/schema.ts';
import { localFiles } from '../../src/hosts/files/files.ts';
import type { LocalGateway } from '../../src/hosts/gateway/gateway.ts';
import { callTool } from '../../src/tools/call.ts';
import { execTool } from '../../src/tools/exec.ts';
import { processTool } from '../../src/tools/process.ts';
import type { RunningContext } from '../../src/tools/tool.ts';
import type { ToolResult } from '../../src/wire/tool.ts';
import { testGateway } from './gateway.ts';
import { until } from './patience.ts';

type Input = Readonly<Record<string, unknown>>;

/** The tools `exec` and `process` of one agent over a gateway in this process. */
export interface RunningTools {
  readonly gateway: LocalGateway;
  readonly folder: string;
  readonly exec: (input: Input, more?: CallMore) => Promise<ToolResult>;
  readonly process: (input: Input, more?: CallMore) => Promise<ToolResult>;
  /** Starts a command in the background and gives the id of its session. */
  readonly start: (command: string, more?: Input) => Promise<string>;
  /** Polls until all that was polled fits, and gives it. */
  readonly pollUntil: (sessionId: string, fits: RegExp) => Promise<string>;
}

interface CallMore extends Partial<Pick<RunningContext, 'processAllowed' | 'caller' | 'environment'>> {
  readonly signal?: AbortSignal;
}

export async function runningTools(config: ConfigFile = {}): Promise<RunningTools> {
  const { gateway, folder, stateDir } = await testGateway(config);
  const files = localFiles({ cwd: folder, stateDir: join(stateDir, 'files'), durable: false });

  function call(name: string, input: Input, { signal, ...more }: CallMore = {}): Promise<ToolResult> {
    const running: RunningContext = {
      gateway: async () => gateway,
      caller: { agent: 'main', conversation: 'c' },
      environment: { HOME: folder, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
      processAllowed: true,
      ...more,
    };
    return callTool([execTool, processTool], name, input, {
      files,
      running,
      ...(signal === undefined ? {} : { signal }),
    });
  }

  const tools: RunningTools = {
    gateway,
    folder,
    exec: (input, more) => call('exec', input, more),
    process: (input, more) => call('process', input, more),
    async start(command, more = {}) {
      const { details } = await call('exec', { command, background: true, ...more });
      if (details['status'] !== 'running') throw new Error(`it does not run: ${JSON.stringify(details)}`);
      return details['sessionId'] as string;
    },
    async pollUntil(sessionId, fits) {
      let seen = '';
      const isSeen = async (): Promise<boolean> => {
        const { details } = await call('process', { action: 'poll', sessionId, timeout: 500 });
        seen += details['aggregated'] as string;
        if (details['status'] !== 'running' && !fits.test(seen))
          throw new Error(`it ended: ${JSON.stringify({ seen, details })}`);
        return fits.test(seen);
      };
      await until(isSeen, `output that fits ${fits}`);
      return seen;
    },
  };
  return tools;
}
