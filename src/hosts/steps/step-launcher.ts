/**
 * Runs a compound command without a shell. It is a launcher like that of one program, so one session has one log, one time limit
 * and one kill for all steps. Each step is judged again when it starts, and only what that returns is started.
 */
import { statSync } from 'node:fs';
import { messageOf } from '../../base/message-of.ts';
import type { Step } from '../../wire/steps.ts';
import type { Exit, Launch, Launched, Launcher, Listener } from '../process/launch.ts';
import type { PartEnd } from './part.ts';
import { Pipeline } from './pipeline.ts';
import { SessionInput } from './session-input.ts';
import type { StepFiles } from './step-files.ts';
import type { JudgeStep, StepPlan } from './step-plan.ts';

export interface StepLauncherOptions {
  readonly runner: Pick<Launcher, 'launch'>;
  readonly steps: readonly Step[];
  /** The text of the command, for messages. */
  readonly command: string;
  readonly judge: JudgeStep;
  readonly files: (session: string) => StepFiles;
  /** For output that is collected for files. */
  readonly stateDir: string;
}

const NOT_STARTED = 126;
const NOT_FOUND = 127;
/** The status of a shell whose program was interrupted. */
const INTERRUPTED = 'SIGINT';

export function stepLauncher(options: StepLauncherOptions): Pick<Launcher, 'launch'> {
  return {
    async launch(launch, listener) {
      const run = new StepRun(options, launch, listener);
      await run.hasStarted;
      return run.launched();
    },
  };
}

class StepRun {
  /** Resolves when the first program has started, or all has ended. */
  readonly hasStarted: Promise<void>;
  readonly #options: StepLauncherOptions;
  readonly #launch: Launch;
  readonly #listener: Listener;
  readonly #input: SessionInput;
  readonly #files: StepFiles;
  #cwd: string;
  #status = 0;
  #pipeline: Pipeline | undefined;
  #first: Launched | undefined;
  #isKilled = false;
  #isInterrupted = false;
  #start: () => void = () => {};

  constructor(options: StepLauncherOptions, launch: Launch, listener: Listener) {
    this.#options = options;
    this.#launch = launch;
    this.#listener = listener;
    this.#cwd = launch.cwd;
    this.#input = new SessionInput(launch.session, launch.stdin === 'open');
    this.#files = options.files(launch.session);
    this.hasStarted = new Promise((resolve) => (this.#start = resolve));
    void this.#runAll();
  }

  launched(): Launched {
    const { pid = 0, warnings = [] }: Partial<Launched> = this.#first ?? {};
    return {
      pid,
      warnings,
      pty: false,
      write: (bytes) => this.#input.write(bytes),
      endInput: () => this.#input.end(),
      resize: () => {},
      resume: () => this.#pipeline?.resume(),
      interrupt: () => {
        this.#isInterrupted = true;
        this.#pipeline?.interrupt();
      },
      kill: async (graceMs) => {
        this.#isKilled = true;
        await this.#pipeline?.kill(graceMs);
        await this.#first?.kill(graceMs); // what programs of earlier steps left behind
      },
    };
  }

  async #runAll(): Promise<void> {
    let exit: Exit;
    try {
      exit = await this.#runSteps();
    } catch (error) {
      exit = { kind: 'lost', message: messageOf(error) };
    }
    this.#input.close();
    this.#files.close();
    this.#start();
    // After the promise of the launch, which the caller awaits.
    setImmediate(() => this.#listener.exited(exit));
  }

  async #runSteps(): Promise<Exit> {
    for (const [index, step] of this.#options.steps.entries()) {
      if (this.#isKilled) return { kind: 'signal', signal: 'SIGTERM' };
      if ((step.when === 'ok' && this.#status !== 0) || (step.when === 'failed' && this.#status === 0)) continue;
      const end = await this.#runStep(step, index);
      if (end.kind === 'exit') return end.exit;
      this.#status = step.negate === true ? Number(end.status === 0) : end.status;
    }
    return { kind: 'code', code: this.#status };
  }

  async #runStep(step: Step, index: number): Promise<StepEnd> {
    const identity = folderIdentity(this.#cwd);
    const answer = this.#options.judge(step, { index, cwd: this.#cwd, status: this.#status });
    if (answer.kind === 'not-found') {
      this.#say(`${answer.name}: command not found`);
      return { kind: 'status', status: NOT_FOUND };
    }
    if (answer.kind === 'refused') {
      const hint = answer.hint === undefined ? '' : `; ${answer.hint}`;
      return this.#refused(step, `${answer.reason}${hint}`);
    }
    return this.#runPlan(step, answer.plan, identity);
  }

  async #runPlan(step: Step, plan: StepPlan, identity: string | undefined): Promise<StepEnd> {
    if (plan.kind === 'constant') return { kind: 'status', status: 0 };
    if (plan.kind === 'folder') return { kind: 'status', status: this.#enter(plan) };
    const { session: _, stages: __, cwdIdentity: ___, ...rest } = this.#launch;
    this.#pipeline = new Pipeline({
      runner: this.#options.runner,
      launch: {
        ...rest,
        session: this.#launch.session,
        cwd: this.#cwd,
        ...(identity === undefined ? {} : { cwdIdentity: identity }),
      },
      commands: plan.commands,
      files: this.#files,
      input: this.#input,
      stateDir: this.#options.stateDir,
      write: (stream, bytes) => this.#listener.output(stream, bytes),
      started: (launched) => {
        this.#first ??= launched;
        this.#start();
        if (this.#isKilled) launched.kill().catch(() => {}); // the kill of the session reports it
      },
    });
    const end = await this.#pipeline.ended;
    this.#pipeline = undefined;
    return this.#endOf(step, end);
  }

  #endOf(step: Step, end: PartEnd): StepEnd {
    if (end.kind === 'changed') return this.#refused(step, end.message);
    if (end.kind === 'lost') return { kind: 'exit', exit: end };
    const { signal, status } = end;
    if (signal !== undefined && (this.#isKilled || (this.#isInterrupted && signal === INTERRUPTED)))
      return { kind: 'exit', exit: { kind: 'signal', signal } };
    return { kind: 'status', status };
  }

  /** The status of `cd`. */
  #enter({ folder, word }: Extract<StepPlan, { kind: 'folder' }>): number {
    const why = whyNotEntered(folder);
    if (why === undefined) this.#cwd = folder;
    else this.#say(`cd: ${word}: ${why}`);
    return why === undefined ? 0 : 1;
  }

  #refused({ start, end }: Step, why: string): StepEnd {
    this.#say(`not started: ${this.#options.command.slice(start, end)}: ${why}`);
    return { kind: 'exit', exit: { kind: 'code', code: NOT_STARTED } };
  }

  #say(message: string): void {
    const stream = this.#launch.streams === 'apart' ? 'err' : 'out';
    this.#listener.output(stream, Buffer.from(`pincer: ${message}\n`));
  }
}

type StepEnd = { readonly kind: 'status'; readonly status: number } | { readonly kind: 'exit'; readonly exit: Exit };

/** Taken before the judgement: the programs start in this folder or not at all. */
function folderIdentity(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}

function whyNotEntered(folder: string): string | undefined {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return 'No such file or directory';
  return stat.isDirectory() ? undefined : 'Not a directory';
}
