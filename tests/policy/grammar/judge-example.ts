import { scanCommand } from '../../../src/policy/shell/scan.ts';
import { decideStage, type StageDecision } from '../../../src/policy/stage.ts';
import { WorkBudget } from '../../../src/policy/work-budget.ts';
import { machine, rules } from '../machine.ts';

/** A call that `starter` does not cover is accepted where it changes git locally and nothing but a missing rule asks. */
export function judgeExample(command: string): { readonly answer: 'is accepted' | 'asks'; readonly reason: string } {
  const { stages } = scanCommand(command);
  if (stages === undefined) return { answer: 'asks', reason: 'the text is refused' };
  const decided: StageDecision[] = [];
  for (const { words } of stages)
    decided.push(
      decideStage(
        words.map(({ text }) => text),
        {
          rules: rules({ starter: 'workspace' }),
          lookup: machine(),
          cwd: '/home/u',
          budget: new WorkBudget(),
          hasVerbs: true,
          before: [...decided],
        },
      ),
    );
  const asking = decided.find((one) => !isAccepted(one));
  return asking === undefined ? { answer: 'is accepted', reason: '' } : { answer: 'asks', reason: asking.reason };
}

function isAccepted({ verdict, code, described }: StageDecision): boolean {
  if (verdict === 'allow') return true;
  return described?.accepted?.class === 'git-local' && code === 'allowlist-miss';
}
