/** Runs steps as a session of the gateway would, with a judgement that allows every program of the system. */
import { join } from 'node:path';
import { createLookup } from '../../src/hosts/process/programs/which.ts';
import { localFiles } from '../../src/hosts/files/files.ts';
import { changeRecorder } from '../../src/hosts/files/changes/recorder.ts';
import type { Exit, Launched, Launcher } from '../../src/hosts/process/launch.ts';
import { createStepFiles } from '../../src/hosts/steps/step-files.ts';
import { stepLauncher } from '../../src/hosts/steps/step-launcher.ts';
import type { JudgeStep } from '../../src/hosts/steps/step-plan.ts';
import { judgeStep } from '../../src/policy/steps/judge-step.ts';
import type { Rules } from '../../src/wire/policy.ts';
import { VERBS, type Step, type StepCommand, type StepWord } from '../../src/wire/steps.ts';

export const PATH = '/usr/local/bin:/usr/bin:/bin';
export const AUTHOR = { agent: 'main', client: 'test' };

const RULES: Rules = {
  allowlist: ['/usr/bin/**', '/bin/**'].map((pattern) => ({ pattern })),
  deny: [],
  safeBins: [],
  safeBinProfiles: {},
  safeBinTrustedDirs: ['/bin', '/usr/bin'],
  strictInlineEval: false,
  starter: 'workspace',
};

/** Expands and places the words of a step; what is not allowed runs all the same. */
export function allowAll(workspace: string): JudgeStep {
  return (step, { cwd, status }) => {
    const lookup = createLookup({ path: PATH, cwd, workspace });
    const judged = judgeStep(step, { rules: RULES, lookup, cwd, status });
    if (judged.kind === 'constant') return { kind: 'run', plan: judged };
    if (judged.kind === 'folder')
      return { kind: 'run', plan: { ...judged, word: judged.decision.argv[1] ?? judged.folder } };
    const commands = [];
    for (const { planned, env, redirects, argv } of judged.commands) {
      if (planned === undefined) return { kind: 'not-found', name: argv[0] ?? '' };
      const verb = VERBS.find((one) => one === argv[0] && one !== 'sed');
      commands.push({ planned: { ...planned, argv, ...(verb === undefined ? {} : { verb }) }, env, redirects });
    }
    return { kind: 'run', plan: { kind: 'pipeline', commands } };
  };
}

export interface Stepped {
  readonly launched: Launched;
  readonly end: Promise<{ readonly exit: Exit; readonly out: string; readonly err: string }>;
  readonly text: () => string;
}

export interface SteppingOptions {
  readonly runner: Pick<Launcher, 'launch'>;
  readonly workspace: string;
  readonly stateDir: string;
  readonly judge?: JudgeStep;
  readonly session: string;
  readonly stdin?: 'open' | 'closed';
  readonly streams?: 'merged' | 'apart';
}

export async function runSteps(steps: readonly Step[], options: SteppingOptions): Promise<Stepped> {
  const { runner, workspace, stateDir, session } = options;
  const parts: Record<'out' | 'err', Buffer[]> = { out: [], err: [] };
  const text = (name: 'out' | 'err' = 'out'): string => Buffer.concat(parts[name]).toString();
  const launcher = stepLauncher({
    runner,
    steps,
    command: '',
    judge: options.judge ?? allowAll(workspace),
    stateDir,
    files: (group) =>
      createStepFiles({
        cwd: workspace,
        mayReadOutside: () => false,
        files: localFiles({
          cwd: workspace,
          stateDir,
          durable: false,
          recorder: changeRecorder({ stateDir, workspace, author: AUTHOR, group }),
        }),
      }),
  });
  let ended: (exit: Exit) => void = () => {};
  const exit = new Promise<Exit>((resolve) => (ended = resolve));
  const launched = await launcher.launch(
    {
      session,
      stages: [{ file: join('/', 'steps'), argv: ['steps'] }],
      cwd: workspace,
      env: { PATH, LC_ALL: 'C' },
      umask: 0o022,
      streams: options.streams ?? 'apart',
      stdin: options.stdin ?? 'closed',
    },
    {
      output(stream, bytes) {
        parts[stream].push(Buffer.from(bytes));
        return true;
      },
      exited: ended,
    },
  );
  return { launched, text, end: exit.then((code) => ({ exit: code, out: text('out'), err: text('err') })) };
}

/** A word without patterns. */
export function plain(text: string): StepWord {
  return [{ kind: 'text', text }];
}

export function command(words: readonly string[], redirects: StepCommand['redirects'] = []): StepCommand {
  return { words: words.map(plain), env: {}, redirects };
}

export function pipeline(...commands: readonly StepCommand[]): Step {
  return { when: 'always', start: 0, end: 0, does: { kind: 'pipeline', commands } };
}

export function into(file: string, from = 1, append: 'yes' | 'no' = 'no'): StepCommand['redirects'][number] {
  return { kind: 'output', from, append, file: plain(file) };
}
