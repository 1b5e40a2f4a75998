/** `pincer policy explain` for a host that only the gateway knows: it asks the node that would run the command. */
import { valuesText } from '../../../hosts/gateway/posture/posture.ts';
import { explainJudgement } from '../../../policy/explain.ts';
import type { HostName } from '../../../wire/exec.ts';
import type { Methods } from '../../../wire/methods.ts';
import type { Verdict } from '../../../wire/policy.ts';
import type { Posture } from '../../../wire/posture.ts';
import { environmentRestrictions } from '../../../config/load/environment.ts';
import type { Output } from '../../terminal/output.ts';
import { postureText } from '../../terminal/posture-lines.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { currentFolder } from '../current-folder.ts';
import { operatorCaller, withGateway } from '../gateway.ts';
import { shortPosture } from './explanation.ts';

interface Asked {
  readonly command: string;
  readonly options: Readonly<Record<string, string | undefined>>;
  /** Absent where the options choose the host. */
  readonly posture: Posture | undefined;
}

/** Prints what `pincer exec` with the same options would be told. Throws its fault where the host cannot be used. */
export async function explainOnHost(asked: Asked, json: boolean, output: Output): Promise<Verdict> {
  const { command, posture } = asked;
  // Also where the host cannot be used: it says what happens to files.
  if (!json && posture !== undefined) output.out(`${postureText(posture, output.colour)}\n\n`);
  const { judgement, effective, runsOn, isJudged, node } = await explained(asked);
  if (json) {
    const shown = posture === undefined ? {} : { posture: shortPosture(posture) };
    const report = { command, ...judgement, ...(node === undefined ? {} : { node }), ...shown, effective, runsOn };
    output.out(`${JSON.stringify(report, null, 2)}\n`);
  } else
    output.out(
      [
        explainJudgement(command, judgement),
        `\n  decided by: ${node === undefined ? 'this machine' : visibleLine(`the rules of node ${node.name}`)}\n`,
        `  effective: ${visibleLine(valuesText({ effective, isJudged, runsOn }))}\n`,
      ].join(''),
    );
  return judgement.verdict;
}

async function explained({ command, options }: Asked): Promise<Methods['policy.explain']['result']> {
  const { host, node, workdir, agent } = options;
  const restrictions = await environmentRestrictions(process.env);
  const environment = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const request = {
    command,
    ...(host === undefined ? {} : { host: host as HostName }),
    ...(node === undefined ? {} : { node }),
    ...(workdir === undefined ? {} : { workdir }),
  };
  const context = {
    caller: operatorCaller(agent),
    folder: currentFolder(),
    environment: Object.fromEntries(environment),
    ...(restrictions === undefined ? {} : { restrictions }),
  };
  return withGateway((client) => client.call('policy.explain', { request, context }));
}
