/** From a question of a client's hook to allow, ask, deny or no answer: one decision for all clients. */
import { APPROVAL_DEFAULTS } from '../../config/schema/defaults.ts';
import { type LoadedConfig, loadConfig } from '../../config/load/load.ts';
import { shownText } from '../../policy/explain.ts';
import { asked, type HookAnswer, type HookQuestion } from './client.ts';
import type { Environment, Setting } from './setting.ts';

/** Decides for an agent; without an answer the client's own rules go on. */
export async function decideCall(
  question: HookQuestion,
  agent: string,
  env: Environment = process.env,
): Promise<HookAnswer | undefined> {
  const { subject, project } = question;
  if (subject.does === 'nothing') return undefined;
  const loaded = await loadConfig({ folder: project, env });
  const setting: Setting = { question: withHeadless(question, loaded), agent, env, loaded };
  switch (subject.does) {
    case 'run': {
      const { decideCommand } = await import('./decide-command.ts');
      return decideCommand(subject, setting);
    }
    case 'exec': {
      const { decideServerExec } = await import('./decide-server-exec.ts');
      return decideServerExec(subject, setting);
    }
    case 'read':
    case 'write': {
      const { decideFiles } = await import('./decide-files.ts');
      return decideFiles(subject, setting);
    }
    case 'unknown':
      return asked(shownText(`pincer: not-known: ${subject.why}, so it cannot be judged`), setting.question);
  }
}

function withHeadless(question: HookQuestion, { config }: LoadedConfig): HookQuestion {
  const isHeadless = config.approvals?.headless ?? APPROVAL_DEFAULTS.headless;
  return isHeadless ? { ...question, unattended: 'approvals.headless is set, so no person is asked' } : question;
}
