/** The methods `rules.*`: the approvals file as the command line changes it, with a record of who did it. */
import { Fault } from '../../../base/fault.ts';
import { entryProblem } from '../../../policy/entries/entry-problem.ts';
import { createLookup } from '../../process/programs/which.ts';
import { testRules } from '../../../policy/rules/test-rules.ts';
import { ALL_AGENTS } from '../../../wire/actor.ts';
import type { Method, Methods } from '../../../wire/methods.ts';
import type { RulesAnswer, RulesChange, RulesDocument } from '../../../wire/methods/rules-methods.ts';
import type { AllowlistEntry } from '../../../wire/policy.ts';
import type { ApprovalsFileWithRemarks } from '../../approvals/file.ts';
import { maskedEntry } from '../../approvals/history.ts';
import type { ApprovalStore } from '../../approvals/shape.ts';
import type { PolicyInputs } from '../../host.ts';
import { rulesOf } from '../rules.ts';

type Handlers = {
  readonly [M in Extract<Method, `rules.${string}`>]: (
    params: Methods[M]['params'],
  ) => Promise<Methods[M]['result']> | Methods[M]['result'];
};

export interface RulesMethodsParts {
  readonly file: ApprovalsFileWithRemarks;
  readonly store: Pick<ApprovalStore, 'audit'>;
  readonly now: () => number;
  /** Called after a change. */
  readonly onChanged: () => Promise<void>;
  readonly inputsFor: (folder: string, caller: Methods['rules.test']['params']['caller']) => Promise<PolicyInputs>;
}

type Refusal = Extract<RulesAnswer, { readonly ok: false }>;

export function rulesMethods({ file, store, now, inputsFor, onChanged }: RulesMethodsParts): Handlers {
  function current(): RulesDocument {
    const { broken } = file.rulesFor(ALL_AGENTS);
    const { path, exists, hash, file: document } = file.show();
    const allowlist = file.agents().flatMap((agent) =>
      file.ownEntries(agent).map((entry) => ({
        agent,
        entry,
        ...(entry.expiresAt !== undefined && entry.expiresAt <= now() ? { expired: true as const } : {}),
      })),
    );
    const remarks = file.remarks();
    return { path, exists, revision: hash, document, allowlist, remarks, ...(broken === undefined ? {} : { broken }) };
  }

  function refused(reason: Refusal['reason'], message: string, hint: string | undefined): Refusal {
    return { ok: false, reason, message, ...(hint === undefined ? {} : { hint }), current: current() };
  }

  /** Undefined: there is no such entry. */
  function carryOut(change: RulesChange, revision: string): { readonly entry?: AllowlistEntry } | undefined {
    if (change.kind === 'replace') {
      file.replace(change.document, revision);
      return {};
    }
    const entry =
      change.kind === 'add'
        ? file.add(change.agent, [change.entry], revision)[0]
        : file.remove(change.agent, change.entry, revision);
    return entry === undefined ? undefined : { entry };
  }

  return {
    'rules.get': current,
    'rules.set': async ({ change, revision, by }) => {
      const problem =
        change.kind === 'add'
          ? entryProblem(change.entry, { lookup: createLookup({ path: '', cwd: '/' }) })
          : undefined;
      if (problem !== undefined) return refused('invalid', problem.message, problem.hint);
      try {
        const changed = carryOut(change, revision);
        if (changed === undefined)
          return refused('unknown-entry', 'the list of the agent has no such entry', undefined);
        const after = current();
        const { revision: hash } = after;
        const entry = changed.entry === undefined ? {} : { entry: maskedEntry(changed.entry) };
        const agent = change.kind === 'replace' ? ALL_AGENTS : change.agent;
        store.audit({ event: 'rules', agent, by, details: { change: change.kind, ...entry, revision: hash } });
        await onChanged();
        return { ok: true, current: after, ...changed };
      } catch (error) {
        const reason = error instanceof Fault ? REASONS[error.code] : undefined;
        if (reason === undefined) throw error;
        return refused(reason, (error as Fault).message, (error as Fault).hint);
      }
    },
    'rules.test': async ({ caller, folder, document }) => {
      const inputs = await inputsFor(folder, caller);
      const { remarks, ...approvals } =
        document === undefined
          ? { ...inputs.approvals, remarks: file.remarks() }
          : file.preview(document, caller.agent);
      const { broken } = approvals;
      const rules = rulesOf({ ...inputs, approvals });
      return testRules({ ...rules, remarks, ...(broken === undefined ? {} : { broken }) });
    },
  };
}

const REASONS: Readonly<Partial<Record<string, Refusal['reason']>>> = {
  EXEC_APPROVALS_CHANGED: 'conflict',
  EXEC_APPROVALS_INVALID: 'invalid',
};
