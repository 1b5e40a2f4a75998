/** Metrics of the server in the Prometheus text format. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { DaemonStatus } from '../../wire/methods.ts';
import type { CallOptions, DecideOptions, Toolbox, ToolResult } from '../assemble.ts';
import { CATALOGUE } from '../catalogue.ts';

export interface ServerState {
  readonly status: DaemonStatus | undefined;
  readonly mcpSessions: number;
  readonly requests: number;
}

export interface Metrics {
  /** Wraps a toolbox to count its calls by canonical tool name. */
  counted(toolbox: Toolbox): Toolbox;
  readonly request: (route: string, method: string, status: number, seconds: number) => void;
  text(): Promise<string>;
  readonly contentType: string;
}

const CALL_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120];
const REQUEST_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export function createMetrics(currentState: () => Promise<ServerState>): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const calls = new Counter({
    name: 'pincer_tool_calls_total',
    help: 'Answered tool calls.',
    labelNames: ['tool', 'outcome'],
    registers,
  });
  const callSeconds = new Histogram({
    name: 'pincer_tool_call_duration_seconds',
    help: 'Duration of tool calls.',
    labelNames: ['tool'],
    buckets: CALL_SECONDS,
    registers,
  });
  const requests = new Counter({
    name: 'pincer_http_requests_total',
    help: 'Answered HTTP requests.',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'pincer_http_request_duration_seconds',
    help: 'Duration of HTTP requests until the end of the response.',
    labelNames: ['route'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const gauges = [
    gauge(registry, 'pincer_sessions_running', 'Running sessions.', ({ status }) => status?.sessions.running),
    gauge(
      registry,
      'pincer_sessions_with_leftovers',
      'Ended sessions with processes that still run.',
      ({ status }) => status?.sessions.withLeftovers ?? 0,
    ),
    gauge(
      registry,
      'pincer_sessions_finished',
      'Ended sessions that are kept.',
      ({ status }) => status?.sessions.finished,
    ),
    gauge(
      registry,
      'pincer_approvals_pending',
      'Approval requests that wait for a person.',
      ({ status }) => status?.pendingApprovals,
    ),
    nodesByState(registry),
    nodeLinks(registry),
    gauge(
      registry,
      'pincer_daemon_event_loop_lag_seconds',
      'Largest event-loop lag of the daemon in the last minute.',
      ({ status }) => (status?.eventLoopLagMs ?? 0) / 1_000,
    ),
    gauge(registry, 'pincer_mcp_sessions', 'Open MCP sessions.', ({ mcpSessions }) => mcpSessions),
    gauge(registry, 'pincer_http_requests_running', 'Running HTTP requests.', ({ requests: running }) => running),
    gauge(registry, 'pincer_gateway_up', 'Whether the gateway answers (1) or not (0).', ({ status }) =>
      status === undefined ? 0 : 1,
    ),
  ];

  async function timed(tool: string, work: () => Promise<ToolResult>): Promise<ToolResult> {
    const started = performance.now();
    let outcome = 'defect';
    try {
      const result = await work();
      outcome = outcomeOf(result);
      return result;
    } finally {
      calls.inc({ tool, outcome });
      callSeconds.observe({ tool }, (performance.now() - started) / 1000);
    }
  }

  return {
    counted: (toolbox) => ({
      names: toolbox.names,
      sandboxed: toolbox.sandboxed,
      node: toolbox.node,
      hides: (names, content) => toolbox.hides(names, content),
      secretsView: toolbox.secretsView,
      tools: () => toolbox.tools(),
      call: (name: string, args: unknown, options?: CallOptions) =>
        timed(canonical(name), () => toolbox.call(name, args, options)),
      decide: (answer, options?: DecideOptions) => timed('exec', () => toolbox.decide(answer, options)),
    }),
    request(route, method, status, seconds) {
      requests.inc({ route, method: METHODS.has(method) ? method : 'other', status });
      requestSeconds.observe({ route }, seconds);
    },
    async text() {
      const now = await currentState();
      for (const set of gauges) set(now);
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

/** `pending`: machines that wait for the approval of their pairing. */
function nodesByState(registry: Registry): (state: ServerState) => void {
  const made = new Gauge({
    name: 'pincer_nodes',
    help: 'Nodes by state.',
    labelNames: ['state'],
    registers: [registry],
  });
  return ({ status }) => {
    const { paired = 0, connected = 0, pending = 0 } = status?.nodes ?? {};
    for (const [state, count] of Object.entries({ connected, offline: paired - connected, pending }))
      made.set({ state }, count);
  };
}

/** The gateway counts. After its restart the counter starts at 0, as any counter may. While it does not answer, there is no sample. */
function nodeLinks(registry: Registry): (state: ServerState) => void {
  const made = new Counter({
    name: 'pincer_node_links_total',
    help: 'Connections of nodes since the start of the gateway.',
    registers: [registry],
  });
  return ({ status }) => {
    made.remove();
    if (status?.nodes !== undefined) made.inc(status.nodes.links);
  };
}

function gauge(registry: Registry, name: string, help: string, value: (state: ServerState) => number | undefined) {
  const made = new Gauge({ name, help, registers: [registry] });
  return (state: ServerState) => made.set(value(state) ?? 0);
}

/** The canonical name of a tool; `other` for unknown names. */
function canonical(name: string): string {
  return CATALOGUE.find((tool) => tool.name === name || tool.alsoCalled.includes(name))?.name ?? 'other';
}

/** A small set of outcomes, because each one is a metric label that is kept forever. */
function outcomeOf({ isError, details }: ToolResult): string {
  if (details['status'] === 'approval-pending') return 'approval-pending';
  if (details['code'] === 'TOOL_ABORTED') return 'aborted';
  return isError === true ? 'error' : 'ok';
}
