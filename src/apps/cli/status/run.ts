/** `pincer status`: one screen about what runs, what waits, and which rules hold here. */
import { resolve } from 'node:path';
import { agentName } from '../../../config/agent.ts';
import { stateFolder } from '../../../config/state.ts';
import { shapeOf } from '../definition.ts';
import { runCommand } from '../run-command.ts';
import { jsonOutput, type Output } from '../../terminal/output.ts';
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
    if (json) jsonOutput(output).out(`${JSON.stringify(status, null, 2)}\n`);
    else output.out(renderStatus(status, Date.now(), paint(output.colour)));
    return 0;
  });
}
