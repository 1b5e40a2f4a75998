/** The answer of `pincer init` as data: what was written, and the posture afterwards. */
import { agentName } from '../../../config/agent.ts';
import type { Surroundings } from '../../init/clients.ts';
import { ownToolsOf } from '../../hook/own-tools.ts';
import { surveyClient } from '../../init/survey.ts';
import { type PostureReport, postureReport } from '../../posture.ts';
import type { InitPlan, InitWork, PlannedFile } from './plan.ts';
import type { InitRequest } from './request.ts';
import type { TestCall } from './test-calls.ts';

export interface InitAnswer {
  readonly client?: string;
  readonly scope?: string;
  readonly status: 'written' | 'unchanged' | 'would-change' | 'needs-yes';
  readonly files: readonly PlannedFile[];
  readonly notes: readonly string[];
  /** The current posture; absent with `--http`, where `pincer serve` decides. */
  readonly posture?: PostureReport;
  /** What happens to the client's own tools. */
  readonly ownTools?: string;
  readonly warnings?: readonly string[];
  readonly test?: readonly TestCall[];
  /** What to do if nothing was written. */
  readonly hint?: string;
}

const ADD_YES = 'nothing was written; add --yes to write it';

type Asked = Pick<InitRequest, 'http' | 'posture' | 'test'>;

/** Reads the current posture, and makes the test calls if requested. */
export async function answerOf(
  { http, posture: asked, test: isTested = false }: Asked,
  { client, folder }: InitWork,
  plan: InitPlan,
  status: InitAnswer['status'],
  at: Surroundings,
): Promise<InitAnswer> {
  const isDone = status === 'written' || status === 'unchanged';
  const posture = http === undefined ? await postureReport(folder, { agent: agentName() }) : undefined;
  const [ownTools] = client === undefined ? [] : await ownToolsOf([await surveyClient(client.client, at)], folder);
  const isNotInEffect = isDone && asked !== undefined && posture?.kind !== asked;
  const warnings = [
    ...(isDone ? await plan.warnings() : []),
    ...(isNotInEffect ? [`the posture ${asked} is not in effect`] : []),
  ];
  const calls = isDone && isTested && posture !== undefined ? await tested(folder, posture) : undefined;
  return {
    ...(client === undefined ? {} : { client: client.client.name, scope: client.scope }),
    status,
    files: plan.files,
    notes: plan.notes,
    ...(posture === undefined ? {} : { posture }),
    ...(ownTools === undefined ? {} : { ownTools: ownTools.text }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(calls === undefined ? {} : { test: calls }),
    ...(status === 'needs-yes' ? { hint: ADD_YES } : {}),
  };
}

async function tested(folder: string, posture: PostureReport): Promise<readonly TestCall[]> {
  return (await import('./test-calls.ts')).testCalls(folder, posture);
}

/** 1 if the requested posture is not in effect, or a test call failed. */
export function exitCodeOf({ posture: asked }: Asked, { status, posture, test = [] }: InitAnswer): number {
  if (status !== 'written' && status !== 'unchanged') return 0;
  const isNotInEffect = asked !== undefined && posture?.kind !== asked;
  return isNotInEffect || test.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
}
