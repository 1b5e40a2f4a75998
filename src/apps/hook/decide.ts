/** Decides a question of any client's hook: allow, ask, deny, or no answer. */
import { APPROVAL_DEFAULTS } from '../../config/schema/defaults.ts';
import { type LoadedConfig, loadConfig } from '../../config/load/load.ts';
import { shownText } from '../../policy/explain.ts';
import { askOrDeny, type DecisionContext, type Environment, type HookAnswer, type HookQuestion } from './client.ts';

/** Undefined if the client's own rules should decide. */
export async function decideCall(
  question: HookQuestion,
  agent: string,
  env: Environment = process.env,
): Promise<HookAnswer | undefined> {
  const { subject, project } = question;
  if (subject.does === 'nothing') return undefined;
  const loaded = await loadConfig({ folder: project, env });
  const context: DecisionContext = { question: withHeadless(question, loaded), agent, env, loaded };
  switch (subject.does) {
    case 'run': {
      const { decideCommand } = await import('./decide-command.ts');
      return decideCommand(subject, context);
    }
    case 'exec': {
      const { decideServerExec } = await import('./decide-server-exec.ts');
      return decideServerExec(subject, context);
    }
    case 'read':
    case 'write': {
      const { decideFiles } = await import('./decide-files.ts');
      return decideFiles(subject, context);
    }
    case 'unknown':
      return askOrDeny(shownText(`pincer: not-known: ${subject.why}, so it cannot be judged`), context.question);
  }
}

function withHeadless(question: HookQuestion, { config }: LoadedConfig): HookQuestion {
  const isHeadless = config.approvals?.headless ?? APPROVAL_DEFAULTS.headless;
  return isHeadless ? { ...question, unattended: 'approvals.headless is set, so no person is asked' } : question;
}
