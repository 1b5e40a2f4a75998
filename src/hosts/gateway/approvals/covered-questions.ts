/** Rules that change while questions are open: what they allow now runs, and what they forbid is denied. */
import { RULES_CHANGED } from '../../approvals/answerers.ts';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import type { DenialReason } from '../../../wire/exec.ts';
import type { ApprovalsFile, ApprovalStore } from '../../approvals/shape.ts';
import type { Prepared } from '../prepare.ts';
import { treatmentOf, whyDenied } from '../treatment.ts';
import { bindingOf, whatChanged } from './binding.ts';

export interface CoveredQuestionsParts {
  readonly store: Pick<ApprovalStore, 'list' | 'count'>;
  readonly file: Pick<ApprovalsFile, 'show'>;
  /** Undefined where the request would no longer run on this machine. */
  prepare(approval: ApprovalInfo): Promise<Prepared | undefined>;
  /** Allows a question, and starts its calls. */
  allow(approval: ApprovalInfo, by: string): Promise<void>;
  /** Withdraws a question. */
  forbid(approval: ApprovalInfo, reason: DenialReason): void;
  readonly onTrouble: (error: unknown) => void;
}

export interface CoveredQuestions {
  /** Holds the rules against all open questions. */
  check(by?: string): Promise<void>;
  /** Checks after each change of the approvals file, as long as questions are open. */
  watch(): void;
  close(): void;
}

/** How often the approvals file is looked at; another program may change it. */
const LOOK_MS = 1_000;

export function coveredQuestions(parts: CoveredQuestionsParts): CoveredQuestions {
  const { store, file, onTrouble } = parts;
  let timer: NodeJS.Timeout | undefined;
  let seen: string | undefined;
  let isClosed = false;

  async function check(by = RULES_CHANGED): Promise<void> {
    for (const approval of store.list('pending', Number.MAX_SAFE_INTEGER)) {
      const prepared = await parts.prepare(approval).catch(() => undefined); // it stays open, and its answer reports why
      if (isClosed) return;
      if (prepared?.judgement === undefined) continue;
      if (whatChanged(approval.binding, bindingOf(prepared)) !== undefined) continue;
      const denied = whyDenied(prepared);
      if (denied !== undefined) parts.forbid(approval, denied);
      else if (prepared.judgement.verdict === 'allow' && treatmentOf(prepared) === 'run')
        await parts.allow(approval, by);
    }
  }

  async function look(): Promise<void> {
    const { hash } = file.show();
    if (seen !== undefined && hash !== seen) await check();
    seen = hash;
  }

  function watch(): void {
    if (isClosed || timer !== undefined) return;
    if (store.count('pending') === 0) {
      seen = undefined;
      return;
    }
    seen ??= file.show().hash;
    timer = setTimeout(() => {
      look()
        .catch(onTrouble)
        .finally(() => {
          timer = undefined;
          watch();
        });
    }, LOOK_MS);
    timer.unref();
  }

  return {
    check,
    watch,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
