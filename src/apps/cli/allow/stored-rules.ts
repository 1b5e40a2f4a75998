/** Lists and removes rules. */
import { Fault } from '../../../base/fault.ts';
import { brokenFile } from '../../../hosts/approvals/file-faults.ts';
import type { ApprovalsFile } from '../../../hosts/approvals/shape.ts';
import { CALL_CLASSES } from '../../../wire/profile.ts';
import type { AllowlistEntry } from '../../../wire/policy.ts';
import type { Output } from '../../terminal/output.ts';
import { paint } from '../../terminal/paint.ts';
import { entryText } from '../approvals/approval-text.ts';
import { escaped } from '../approvals/escape-text.ts';
import { printJson } from '../print-json.ts';

interface StoredRules {
  readonly file: ApprovalsFile;
  readonly output: Output;
  readonly json: boolean;
  /** Default: all. */
  readonly agent: string | undefined;
  readonly home: string;
}

interface OwnedRule {
  readonly agent: string;
  readonly entry: AllowlistEntry;
}

/** The most dangerous classes first; rules without a class are last. */
export function listRules({ file, output, json, agent }: StoredRules): number {
  const rules = rulesIn(file, agent);
  if (json) printJson(output, { path: file.path, rules });
  else if (rules.length === 0) output.out('there are no rules\n');
  else
    for (const { agent: owner, entry } of rules.toSorted((a, b) => rank(b.entry) - rank(a.entry)))
      output.out(
        `${paint(output.colour).address(shortId(entry))}  ${(entry.class ?? '-').padEnd(9)}  ${owner === '*' ? 'all agents' : escaped(owner)}  ${ruleText(entry)}\n`,
      );
  return 0;
}

export function removeRule(id: string, { file, output, json, agent }: StoredRules): number {
  const found = rulesIn(file, agent).filter(({ entry }) => entry.id?.startsWith(id) === true);
  const exact = found.filter(({ entry }) => entry.id === id);
  const [rule, second] = exact.length > 0 ? exact : found;
  if (second !== undefined)
    throw new Fault(
      'EXEC_APPROVALS_AMBIGUOUS',
      `${found.length} rules have an id that begins with ${JSON.stringify(id)}`,
      {
        hint: 'give more of the id; pincer allow --list --json prints whole ids',
      },
    );
  const removed = rule?.entry.id === undefined ? undefined : file.remove(rule.agent, rule.entry.id);
  if (json) printJson(output, { removed: removed ?? null, ...(rule === undefined ? {} : { agent: rule.agent }) });
  else if (removed === undefined)
    output.out(`there is no rule ${escaped(JSON.stringify(id))}; pincer allow --list shows all\n`);
  else output.out(`removed ${shortId(removed)}  ${ruleText(removed)}\n`);
  return removed === undefined ? 1 : 0;
}

function rulesIn(file: ApprovalsFile, agent: string | undefined): readonly OwnedRule[] {
  const { broken } = file.rulesFor('*');
  if (broken !== undefined) throw brokenFile(file.path, broken);
  const agents = agent === undefined ? file.agents() : [agent];
  return agents.flatMap((owner) => file.ownEntries(owner).map((entry) => ({ agent: owner, entry })));
}

function rank({ class: one }: AllowlistEntry): number {
  return one === undefined ? -1 : CALL_CLASSES.indexOf(one);
}

function shortId({ id }: AllowlistEntry): string {
  return id === undefined ? '(no id)' : escaped(id.slice(0, 8));
}

function ruleText(entry: AllowlistEntry): string {
  return entry.said === undefined ? entryText(entry) : `${escaped(entry.said)}  ${entryText(entry)}`;
}
