/** `pincer status`: prints one screen about sessions, approvals, policy and configuration. */
import { resolve } from 'node:path';
import { agentName } from '../../../config/agent.ts';
import { stateFolder } from '../../../config/state.ts';
import { shapeOf } from '../definition.ts';
import { runCommand } from '../run-command.ts';
import type { Output } from '../../terminal/output.ts';
import { printJson } from '../print-json.ts';
import { paint } from '../../terminal/paint.ts';
import { readArguments, wantsJson } from '../arguments.ts';
import { definition } from './definition.ts';
import { gatherStatus } from './gather-status.ts';
import { renderStatus } from './render-status.ts';

export function runStatus(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return runCommand(definition, argv, output, async () => {
    const { options } = readArguments(shapeOf(definition), argv);
    const status = await gatherStatus({
      stateDir: stateFolder(),
      folder: resolve(options['workspace'] ?? '.'),
      agent: options['agent'] ?? agentName(),
    });
    if (json) printJson(output, status);
    else output.out(renderStatus(status, Date.now(), paint(output.colour)));
    return 0;
  });
}
