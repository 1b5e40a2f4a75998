/**
 * What the official conformance suite wants to find on a server under test: tools, prompts and resources with fixed names and
 * answers. They are served over the transports of the real tools, so that the suite tests these transports. Loaded only
 * for `--conformance-fixtures`.
 */
import {
  createRequestStateCodec,
  InMemoryServerEventBus,
  McpServer,
  type McpServerFactory,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import { randomBytes } from 'node:crypto';
import { registerAskingTools } from './asking.ts';
import { registerContentTools } from './contents.ts';
import { registerInputTools } from './inputs.ts';
import { registerPrompts } from './prompts.ts';
import { registerResources } from './resources.ts';
import { registerRunningTools } from './running.ts';
import type { FixtureServer } from './shape.ts';

export interface ConformanceFixtures {
  /** Makes one server; it takes the place of the factory of the real tools. */
  readonly factory: McpServerFactory;
  /** Carries the changes of lists that fixture tools announce; `createMcpHandler` takes it as its `bus`. */
  readonly bus: ServerEventBus;
}

/** The fixtures for one process, with a key of their own for what the client has to send back. */
export function conformanceFixtures(): ConformanceFixtures {
  const bus = new InMemoryServerEventBus();
  const state = createRequestStateCodec<unknown>({ key: randomBytes(32) });
  const factory: McpServerFactory = ({ era }) => {
    const mcp = new McpServer(
      { name: 'pincer-conformance-fixtures', version: '1.0.0' },
      {
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          logging: {},
          completions: {},
        },
        requestState: { verify: (sent, context) => state.verify(sent, context) },
      },
    );
    const fixtures: FixtureServer = { mcp, era, bus, state };
    registerContentTools(fixtures);
    registerRunningTools(fixtures);
    registerAskingTools(fixtures);
    registerInputTools(fixtures);
    registerPrompts(fixtures);
    registerResources(fixtures);
    return mcp;
  };
  return { factory, bus };
}
