import { scanCommand } from '../../../src/policy/shell/scan.ts';
import { decideStage, type StageDecision } from '../../../src/policy/stage.ts';
import { WorkBudget } from '../../../src/policy/work-budget.ts';
import { machine, rules } from '../machine.ts';

/** Judges a call without any entry but one for local changes of git. */
export function judgeExample(command: string): { readonly answer: 'is accepted' | 'asks'; readonly reason: string } {
  const { stages } = scanCommand(command);
  if (stages === undefined) return { answer: 'asks', reason: 'the text is refused' };
  const decided: StageDecision[] = [];
  for (const { words } of stages)
    decided.push(
      decideStage(
        words.map(({ text }) => text),
        {
          rules: rules({ starter: 'workspace', allowlist: [{ pattern: '/usr/bin/git', class: 'git-local' }] }),
          lookup: machine(),
          cwd: '/home/u',
          budget: new WorkBudget(),
          hasVerbs: true,
          before: [...decided],
        },
      ),
    );
  const asking = decided.find(({ verdict }) => verdict !== 'allow');
  return asking === undefined ? { answer: 'is accepted', reason: '' } : { answer: 'asks', reason: asking.reason };
}
