/** A real `pincer gateway` with its page, and a real agent over MCP that works with it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { Role } from '../../../src/wire/page/login.ts';
import { type Home, makeHome, PROGRAM, runPincer, type Server, startServer } from '../../apps/serve/serving.ts';

/** Commands on this machine, and a person is asked about what is on no list. */
const ASKING = {
  tools: { exec: { host: 'gateway', security: 'allowlist', ask: 'on-miss' } },
  nodes: { listen: '127.0.0.1:0' },
};

export interface PageGateway {
  readonly home: Home;
  /** Replaced by `restart`. */
  server: Server;
  /** A link that works once. */
  link(role?: Role): Promise<string>;
  /** Logs a browser in, and waits until it is live. */
  logIn(page: Page, role?: Role): Promise<void>;
  /** Kills the gateway without a warning, and starts it again on its port. */
  killAndRestart(): Promise<void>;
}

export interface GatewayOptions {
  readonly config?: object;
  readonly files?: Readonly<Record<string, string>>;
  /** Prepares the folders before the gateway starts. */
  readonly prepare?: (home: Home) => Promise<void>;
}

export async function startGateway(options: GatewayOptions = {}): Promise<PageGateway> {
  const { config = ASKING, files = {}, prepare } = options;
  const home = makeHome(config);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home.workspace, name), text);
  await prepare?.(home);
  const server = await startServer(home, [], [], 'gateway');
  onTestFinished(async () => {
    await gateway.server.end();
    await home.remove();
  });
  let firstLink = server.said['page'] as string | undefined;
  const gateway: PageGateway = {
    home,
    server,
    async link(role = 'operator') {
      const first = firstLink;
      if (role === 'operator' && first !== undefined) {
        firstLink = undefined;
        return first;
      }
      const { stdout, stderr } = await runPincer(home, ['page', '--json', '--role', role]);
      if (stdout === '') throw new Error(`pincer page: ${stderr}`);
      return (JSON.parse(stdout) as { url: string }).url;
    },
    async logIn(page, role) {
      await page.goto(await gateway.link(role));
      await page.getByText('Live', { exact: true }).waitFor();
    },
    async killAndRestart() {
      await gateway.server.end('SIGKILL');
      gateway.server = await startServer(home, ['--port', String(server.port)], [], 'gateway');
    },
  };
  return gateway;
}

export interface AgentClient {
  /** Calls a tool, and does not wait for the answer of a person. */
  call(tool: string, args: Record<string, unknown>): Promise<CallToolResult>;
}

/** An agent whose client cannot ask its user, so that questions go to the page. */
export async function connectAgent({ home }: PageGateway, agent = 'main'): Promise<AgentClient> {
  const client = new Client({ name: 'test-agent', version: '1.0.0' }, { capabilities: {} });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', '--workspace', home.workspace, '--agent', agent],
    env: { ...home.env },
    stderr: 'ignore',
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { call: async (tool, args) => client.callTool({ name: tool, arguments: args }) };
}

/** Text of a result. */
export function textIn({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}
