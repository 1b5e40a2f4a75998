/** What would be started, from the facts that the approval is bound to: they are what runs. */
import type { ApprovalInfo } from '../../../wire/approval.ts';
import { type StageReport, stageVerdict } from '../../../wire/policy.ts';
import { CodeText, CommandText, HostileText } from '../../components/hostile-text.tsx';
import { VerdictChip } from '../../components/verdict.tsx';
import { argvText } from '../../text/argv.ts';
import { folded } from './limits.ts';

type Program = ApprovalInfo['binding']['programs'][number];

/** The gateway gives a text that it does not split to a shell, as its last argument. */
function isWholeText({ argv }: Program, command: string): boolean {
  return argv.length === 3 && argv[1] === '-c' && argv[2] === command;
}

export function WhatRuns({ approval, isWhole }: { readonly approval: ApprovalInfo; readonly isWhole: boolean }) {
  const { binding, judgement } = approval;
  const started = binding.programs.filter(({ argv }) => argv.length > 0);
  const within = binding.programs.filter(({ argv }) => argv.length === 0);
  const hasReports = judgement.stages.length === started.length;
  return (
    <section>
      <h3>{started.length > 1 ? `${started.length} stages` : 'What runs'}</h3>
      <ol class="stages">
        {started.map((program, i) => (
          <li key={i}>
            <span class="stage-number">{i + 1}</span>
            {isWholeText(program, binding.command) ? (
              <WholeText program={program} />
            ) : (
              <Stage program={program} report={hasReports ? judgement.stages[i] : undefined} isWhole={isWhole} />
            )}
          </li>
        ))}
      </ol>
      {started.length === 0 ? <p class="note">The node has not reported which programs would run.</p> : undefined}
      {within.map(({ real }) => (
        <p key={real} class="note">
          It starts <CodeText text={real} /> itself.
        </p>
      ))}
    </section>
  );
}

function WholeText({ program }: { readonly program: Program }) {
  return (
    <>
      <VerdictChip verdict="ask" />
      <div>
        The whole text goes to a shell: <CodeText text={program.real} />
        <div class="note">What the shell does with it cannot be checked before it runs.</div>
      </div>
    </>
  );
}

interface StageProps {
  readonly program: Program;
  readonly report: StageReport | undefined;
  readonly isWhole: boolean;
}

function Stage({ program, report, isWhole }: StageProps) {
  const text = argvText(program.argv);
  return (
    <>
      <VerdictChip verdict={report === undefined ? 'ask' : stageVerdict('ask', report.verdict)} />
      <div>
        <CommandText text={isWhole ? text : folded(text)} />
        <div class="note">
          <CodeText text={program.real} />
          {report === undefined ? undefined : (
            <>
              {' · '}
              <HostileText text={report.reason} /> <CodeText text={report.code} />
            </>
          )}
        </div>
      </div>
    </>
  );
}
