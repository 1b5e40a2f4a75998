import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { execSettings } from '../../src/config/exec-settings.ts';
import type { ConfigFile } from '../../src/config/schema/schema.ts';
import { createGateway, type GatewayOptions, type LocalGateway } from '../../src/hosts/gateway/gateway.ts';
import { startWithin } from '../../src/runner/spawn.ts';
import type { ApprovalInfo } from '../../src/wire/approval.ts';
import type { ExecContext, ExecOutcome, ExecRequest } from '../../src/wire/exec.ts';
import { builtScript } from './built.ts';
import { makeFolder } from './folder.ts';
import { PATIENCE_MS } from './patience.ts';

/** A gateway in this process, with a state folder and a working folder of its own. */
export interface TestGateway {
  readonly gateway: LocalGateway;
  readonly folder: string;
  readonly stateDir: string;
  readonly exec: (request: ExecRequest, context?: Partial<ExecContext>) => Promise<ExecOutcome>;
  /** Closes it and opens another on the same state folder; `between` may change the folder. */
  again(between?: () => Promise<void>): Promise<TestGateway>;
}

export async function testGateway(
  config: ConfigFile = {},
  more: Partial<GatewayOptions> = {},
  root = makeFolder(),
): Promise<TestGateway> {
  const folder = join(root, 'work');
  const stateDir = join(root, 'state');
  mkdirSync(folder, { recursive: true });
  const gateway = await createGateway({
    stateDir,
    runtimeDir: join(root, 'run'),
    runner: builtScript('runner'),
    startWithin,
    socket: '',
    version: 'test',
    settingsFor: async (_, agent) => execSettings({ config, sources: [], warnings: [] }, agent, root),
    ...more,
  });
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await gateway.close();
  };
  onTestFinished(close);
  const context: ExecContext = {
    caller: { agent: 'main', conversation: 'c' },
    folder,
    environment: { HOME: root, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
  };
  return {
    gateway,
    folder,
    stateDir,
    exec: (request, changes) => gateway.call('exec.start', { request, context: { ...context, ...changes } }),
    again: async (between) => {
      await close();
      await between?.();
      return testGateway(config, more, root);
    },
  };
}

/** Commands are judged. */
export const JUDGED: ConfigFile = { tools: { exec: { host: 'gateway' } } };

/** Commands are judged, and an agent may ask as often as a test wants. */
export const ASKS_OFTEN: ConfigFile = { ...JUDGED, approvals: { maxOpen: 1_000, maxNew: 10_000 } };

/** Writes an allowlist for the agent `main`. */
export function allow(stateDir: string, patterns: readonly string[], more: object = {}): void {
  const agents = { main: { allowlist: patterns.map((pattern) => ({ pattern })) } };
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  writeFileSync(join(stateDir, 'exec-approvals.json'), JSON.stringify({ version: 1, agents, ...more }), {
    mode: 0o600,
  });
}

/** What a command that ran has printed. */
export function output(outcome: ExecOutcome): string {
  if (!('output' in outcome)) throw new Error(`not run: ${JSON.stringify(outcome)}`);
  return outcome.output.text;
}

/** The question that a command waits for. */
export function pending(outcome: ExecOutcome): ApprovalInfo {
  if (outcome.status !== 'approval-pending') throw new Error(`not pending: ${JSON.stringify(outcome)}`);
  return outcome.approval;
}

/** The notices so far, without what differs from run to run. */
export async function notices({ gateway }: TestGateway): Promise<readonly string[]> {
  const all = await gateway.call('notice.list', {});
  return all.map(({ kind, wake }) => `${kind}${wake ? ' wakes' : ''}`);
}

/** The session when it has ended. */
export async function ended({ gateway }: TestGateway, sessionId: string) {
  return gateway.call('session.wait', { caller: { agent: 'main' }, sessionId, waitMs: PATIENCE_MS });
}
