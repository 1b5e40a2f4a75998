/** The answer of `pincer init` as data: what was written, and what holds after it. */
import { agentName } from '../../../config/agent.ts';
import { type PostureReport, postureReport } from '../../posture.ts';
import type { InitPlan, InitWork, PlannedFile } from './plan.ts';
import type { InitRequest } from './request.ts';
import type { TestCall } from './test-calls.ts';

export interface Answer {
  readonly client?: string;
  readonly scope?: string;
  readonly status: 'written' | 'unchanged' | 'would-change' | 'needs-yes';
  readonly files: readonly PlannedFile[];
  readonly notes: readonly string[];
  /** What happens to commands and files now; absent where `pincer serve` decides. */
  readonly posture?: PostureReport;
  readonly warnings?: readonly string[];
  readonly test?: readonly TestCall[];
}

type Asked = Pick<InitRequest, 'http' | 'posture' | 'test'>;

/** The answer, with the posture as it is at this moment and the test calls that were asked for. */
export async function answerOf(
  { http, posture: asked, test: isTested = false }: Asked,
  { client, folder }: InitWork,
  plan: InitPlan,
  status: Answer['status'],
): Promise<Answer> {
  const isDone = status === 'written' || status === 'unchanged';
  const posture = http === undefined ? await postureReport(folder, { agent: agentName() }) : undefined;
  const isOther = isDone && asked !== undefined && posture?.kind !== asked;
  const warnings = [
    ...(isDone ? await plan.warnings() : []),
    ...(isOther ? [`the posture ${asked} was asked for and is not in force`] : []),
  ];
  const calls = isDone && isTested && posture !== undefined ? await tested(folder, posture) : undefined;
  return {
    ...(client === undefined ? {} : { client: client.client.name, scope: client.scope }),
    status,
    files: plan.files,
    notes: plan.notes,
    ...(posture === undefined ? {} : { posture }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(calls === undefined ? {} : { test: calls }),
  };
}

async function tested(folder: string, posture: PostureReport): Promise<readonly TestCall[]> {
  return (await import('./test-calls.ts')).testCalls(folder, posture);
}

/** 1 where the posture that was asked for is not in force, or a test call failed. */
export function exitCodeOf({ posture: asked }: Asked, { status, posture, test = [] }: Answer): number {
  if (status !== 'written' && status !== 'unchanged') return 0;
  const isOther = asked !== undefined && posture?.kind !== asked;
  return isOther || test.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
}
