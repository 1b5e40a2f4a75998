/** Serves one client over stdin and stdout with the MCP package. */
import type { Readable } from 'node:stream';
import type { McpServerFactory, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpFactory } from '../factory.ts';
import type { McpOptions } from '../options.ts';
import { listeningOver } from '../resources/listening.ts';
import type { WorkspaceResources } from '../resources/resources.ts';
import type { HandOver } from './handshake.ts';
import { stdioTransport } from './transport.ts';

export interface ServeOptions extends Partial<HandOver> {
  /** `flowing` resolves when the client accepts output. */
  readonly factory: (flowing: () => Promise<void>) => McpServerFactory;
  readonly log: (message: string) => void;
  /** The client disconnects, or a signal stops the process. */
  readonly onLeaving?: () => void;
  /** Wraps the transport. */
  readonly over?: (transport: Transport) => Transport;
  readonly input?: Readable;
}

/** Resolves when the client has disconnected and all answers are written. */
export async function serve({
  factory,
  log,
  onLeaving = () => undefined,
  over = (inner) => inner,
  ...opened
}: ServeOptions) {
  const { input = process.stdin, answered = new Set() } = opened;
  const wire = stdioTransport({ input, output: process.stdout, log, onInputEnd: onLeaving, answeredBefore: answered });
  serveStdio(factory(wire.flowing), { transport: over(wire), onerror: ({ message }) => log(message) });
  await wire.closed();
}

/** Continues after the handshake. */
export async function serveOpened(
  opened: HandOver,
  options: Omit<McpOptions, 'resources' | 'leaving' | 'flowing'>,
  resources: WorkspaceResources,
): Promise<void> {
  const leaving = new AbortController();
  const more = { resources: resources.register, leaving: leaving.signal };
  await serve({
    ...opened,
    factory: (flowing) => createMcpFactory({ ...options, ...more, flowing }),
    log: options.log,
    onLeaving: () => leaving.abort(),
    over: (transport) => listeningOver(transport, resources),
  });
}
