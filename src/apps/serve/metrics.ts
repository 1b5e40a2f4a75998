/** What is counted while the server runs, in the text that Prometheus reads. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { DaemonStatus } from '../../wire/methods.ts';
import type { CallOptions, DecideOptions, Toolbox, ToolResult } from '../assemble.ts';
import { CATALOGUE } from '../catalogue.ts';

/** The state of things at the moment of asking. */
export interface Present {
  readonly status: DaemonStatus | undefined;
  readonly mcpSessions: number;
  readonly requests: number;
}

export interface Metrics {
  /** The same tools; each call is counted under the tool's canonical name. */
  counted(toolbox: Toolbox): Toolbox;
  readonly request: (route: string, method: string, status: number, seconds: number) => void;
  text(): Promise<string>;
  readonly contentType: string;
}

const CALL_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120];
const REQUEST_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export function createMetrics(present: () => Promise<Present>): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const calls = new Counter({
    name: 'pincer_tool_calls_total',
    help: 'Calls of tools that have been answered.',
    labelNames: ['tool', 'outcome'],
    registers,
  });
  const callSeconds = new Histogram({
    name: 'pincer_tool_call_duration_seconds',
    help: 'Time from a call of a tool to its answer.',
    labelNames: ['tool'],
    buckets: CALL_SECONDS,
    registers,
  });
  const requests = new Counter({
    name: 'pincer_http_requests_total',
    help: 'HTTP requests that have been answered.',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'pincer_http_request_duration_seconds',
    help: 'Time from an HTTP request to the end of its answer.',
    labelNames: ['route'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const gauges = [
    gauge(registry, 'pincer_sessions_running', 'Commands that run.', ({ status }) => status?.sessions.running),
    gauge(
      registry,
      'pincer_sessions_with_leftovers',
      'Commands that have ended and left processes that run on.',
      ({ status }) => status?.sessions.withLeftovers ?? 0,
    ),
    gauge(
      registry,
      'pincer_sessions_finished',
      'Commands that have ended and are kept.',
      ({ status }) => status?.sessions.finished,
    ),
    gauge(
      registry,
      'pincer_approvals_pending',
      'Questions that wait for a person.',
      ({ status }) => status?.pendingApprovals,
    ),
    gauge(
      registry,
      'pincer_daemon_event_loop_lag_seconds',
      'Largest event-loop lag of the daemon in the last minute.',
      ({ status }) => (status?.eventLoopLagMs ?? 0) / 1_000,
    ),
    gauge(registry, 'pincer_mcp_sessions', 'Open sessions of MCP clients.', ({ mcpSessions }) => mcpSessions),
    gauge(registry, 'pincer_http_requests_running', 'HTTP requests in work.', ({ requests: running }) => running),
    gauge(registry, 'pincer_gateway_up', 'Whether what runs commands answers.', ({ status }) =>
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
      const now = await present();
      for (const set of gauges) set(now);
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

function gauge(registry: Registry, name: string, help: string, value: (present: Present) => number | undefined) {
  const made = new Gauge({ name, help, registers: [registry] });
  return (present: Present) => made.set(value(present) ?? 0);
}

/** The tool behind any of its names; names that nobody knows are one. */
function canonical(name: string): string {
  return CATALOGUE.find((tool) => tool.name === name || tool.alsoCalled.includes(name))?.name ?? 'other';
}

/** What became of a call, in few words: labels are kept for ever. */
function outcomeOf({ isError, details }: ToolResult): string {
  if (details['status'] === 'approval-pending') return 'approval-pending';
  if (details['code'] === 'TOOL_ABORTED') return 'aborted';
  return isError === true ? 'error' : 'ok';
}
