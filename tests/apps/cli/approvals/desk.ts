import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ApprovalsIo } from '../../../../src/apps/cli/approvals/process-io.ts';
import { runApprovals } from '../../../../src/apps/cli/approvals/run.ts';
import type { Output } from '../../../../src/apps/terminal/output.ts';
import { Fault } from '../../../../src/base/fault.ts';
import { openApprovalsFile } from '../../../../src/hosts/approvals/file.ts';
import type { ApprovalsFile, ApprovalStore } from '../../../../src/hosts/approvals/shape.ts';
import { openApprovalStore } from '../../../../src/hosts/approvals/store.ts';
import { checkRules } from '../../../../src/policy/rules/rules-check.ts';
import type { ApprovalInfo } from '../../../../src/wire/approval.ts';
import type { Notice } from '../../../../src/wire/notice.ts';
import type { Gateway, Methods } from '../../../../src/wire/methods.ts';
import { BINDING, JUDGEMENT } from '../../../hosts/approvals/sample.ts';
import { makeFolder } from '../../../support/folder.ts';

/** A person at a desk: the command line over a real store and a real file, a keyboard, and what is on the screen. */
export interface Desk {
  readonly store: ApprovalStore;
  readonly file: ApprovalsFile;
  readonly clock: { time: number };
  readonly io: ApprovalsIo;
  readonly output: Output;
  ask(binding?: object, judgement?: object): ApprovalInfo;
  press(key: string): void;
  text(): string;
  /** Resolves when what is on the screen holds this. */
  sees(part: string): Promise<void>;
  run(...argv: readonly string[]): Promise<{ code: number; out: string; err: string }>;
}

export interface DeskOptions {
  readonly isTerminal?: boolean;
  readonly keyboard?: boolean;
  readonly input?: string;
  readonly size?: { readonly cols: number; readonly rows: number };
}

export async function desk({ isTerminal = true, keyboard = false, input = '', size }: DeskOptions = {}): Promise<Desk> {
  const folder = join(makeFolder(), 'state');
  mkdirSync(folder, { mode: 0o700 });
  const clock = { time: 1_000_000 };
  const store = await openApprovalStore({ file: join(folder, 'gateway.db'), now: () => clock.time });
  onTestFinished(() => store.close());
  const file = openApprovalsFile({ path: join(folder, 'exec-approvals.json'), checkRules });
  const listeners = new Set<(key: string) => void>();
  const watchers = new Set<() => void>();
  let out = '';
  let err = '';
  const output: Output = {
    isTerminal,
    errorIsTerminal: isTerminal,
    quiet: false,
    colour: false,
    out: (text) => {
      out += Buffer.from(text as string).toString();
      for (const look of watchers) look();
    },
    err: (text) => {
      err += text;
    },
  };
  const gateway = gatewayOver(store, file);
  const io: ApprovalsIo = {
    connect: () => Promise.resolve(gateway),
    file: () => file,
    input: () => input,
    keyboard: keyboard
      ? {
          listen: (listener) => {
            listeners.add(listener);
            return { stop: () => void listeners.delete(listener) };
          },
        }
      : undefined,
    by: 'ann',
    now: () => clock.time,
    size: () => size ?? { cols: 100, rows: 40 },
  };
  return {
    store,
    file,
    clock,
    io,
    output,
    text: () => out,
    ask: (binding = {}, judgement = {}) => {
      const asked = store.ask({
        binding: { ...BINDING, ...binding },
        judgement: { ...JUDGEMENT, ...judgement },
        expiresAt: clock.time + 102_000,
        run: {},
      });
      gateway.tell({ kind: 'approval-requested', approvalId: asked.id });
      return asked;
    },
    press: (key) => {
      for (const listener of listeners) listener(key);
    },
    sees: (part) =>
      new Promise((done) => {
        const look = (): void => {
          if (!out.slice(Math.max(0, out.lastIndexOf('\u001b[2J'))).includes(part)) return;
          watchers.delete(look);
          done();
        };
        watchers.add(look);
        look();
      }),
    run: async (...argv) => {
      out = '';
      err = '';
      const code = await runApprovals(argv, output, io);
      return { code, out, err };
    },
  };
}

/** The part of the daemon that answers for approvals, over the real store and file. */
function gatewayOver(store: ApprovalStore, file: ApprovalsFile) {
  const hearers = new Set<() => void>();
  const answers = {
    'approval.list': ({ state, limit }: Methods['approval.list']['params']) => store.list(state ?? 'pending', limit),
    'approval.count': ({ state }: Methods['approval.count']['params']) => store.count(state ?? 'pending'),
    'approval.show': ({ id }: Methods['approval.show']['params']) => {
      const found = store.find(id);
      if (typeof found === 'string') throw new Fault('APPROVAL_UNKNOWN', `there is no approval ${JSON.stringify(id)}`);
      return found;
    },
    'approval.resolve': ({ id, decision, by, digest }: Methods['approval.resolve']['params']) => {
      const answer = store.resolve(id, decision, by, { digest });
      if (!answer.ok) return answer;
      const { approval, others } = answer;
      return {
        ok: true,
        approval,
        stored: decision === 'allow-always' ? file.add(approval.binding.agent, approval.wouldStore) : [],
        ...(others.length === 0 ? {} : { others: others.length }),
      };
    },
  };
  const tell = (notice: Pick<Notice, 'kind' | 'approvalId'>): void => {
    store.notice({ agent: 'main', text: 'x', wake: false, contextKey: 'x', ...notice });
    for (const hear of hearers) hear();
  };
  const gateway: Gateway & { tell: typeof tell } = {
    tell,
    call: async (method, params) => {
      const answer = answers[method as keyof typeof answers] as (given: unknown) => never;
      return await Promise.resolve(answer(params));
    },
    follow: () => Promise.reject(new Error('no sessions here')),
    auditEntries: () => Promise.reject(new Error('no audit log here')),
    notices: async ({ after = 0 }, listener, signal) => {
      let seen = after;
      const hear = (): void => {
        for (const notice of store.notices(seen, 1000)) {
          seen = notice.seq;
          listener(notice);
        }
      };
      hearers.add(hear);
      hear();
      await new Promise<void>((done) => {
        if (signal.aborted) done();
        else signal.addEventListener('abort', () => done(), { once: true });
      });
      hearers.delete(hear);
    },
  };
  return gateway;
}
