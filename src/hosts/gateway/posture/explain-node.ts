import { effectivePolicy } from '../../../policy/effective.ts';
import { faultData } from '../../../base/fault.ts';
import type { NodeChoiceReport } from '../../../wire/nodes/binding.ts';
import type { Caller } from '../../../wire/exec.ts';
import { placeText } from '../../../wire/posture.ts';
import type { PolicyInputs } from '../../host.ts';
import { nodeOf, routeOf } from '../route.ts';
import { originText } from './posture.ts';

/** Which node commands of an agent would run on now, and what happens where there is none. */
export function explainNode(inputs: PolicyInputs, caller: Caller): NodeChoiceReport {
  const { settings, approvals, conversation } = inputs;
  const { host } = effectivePolicy({ config: settings, conversation, call: {}, approvals });
  const choice = nodeOf({}, inputs);
  const isBound = host === 'node';
  const usual = isBound ? undefined : routeOf({ command: '' }, { caller }, inputs);
  const isOpen = usual !== undefined && usual.runsOn === 'gateway' && !usual.isJudged;
  const who = usual === undefined ? 'commands' : `commands run ${placeText(usual)}; a command with host=node`;
  if ('fault' in choice) {
    const { code, message, hint } = faultData(choice.fault);
    const fail = isBound ? 'fail' : 'fails';
    return {
      host,
      ok: false,
      isOpen,
      sentence: `${who} ${fail}, none goes elsewhere: ${message}`,
      fault: { code, message, ...(hint === undefined ? {} : { hint }) },
    };
  }
  const { node, from } = choice;
  const sentence = `${who} ${isBound ? 'run' : 'runs'} on node ${node.name}${originText(from)}`;
  return { host, ok: true, isOpen, sentence, node: { id: node.id, name: node.name, from } };
}
