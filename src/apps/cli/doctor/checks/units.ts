/** The systemd user units of `pincer gateway install` and `pincer node install`. */
import { existsSync } from 'node:fs';
import { readUnit, unitPath } from '../../../unit/unit-file.ts';
import { programOf, type UnitCommand } from '../../../unit/unit-text.ts';
import { type Check, type DoctorContext, type Finding, ok, skip, warn } from '../check.ts';

const COMMANDS: readonly UnitCommand[] = ['gateway', 'node'];

export const units: Check = {
  id: 'units',
  run(context) {
    const found = COMMANDS.flatMap((command) => unitFindings(command, context));
    return found.length === 0 ? skip('no systemd unit of pincer is installed') : found;
  },
};

function unitFindings(command: UnitCommand, { env, program, stateDir }: DoctorContext): readonly Finding[] {
  const path = unitPath(command, env);
  const unit = readUnit(path, command);
  if (unit === undefined) return [];
  const again = `pincer ${command} install`;
  if (!unit.isOurs) return warn(`${path} was not written by pincer`, `${again} --force replaces it`);
  const started = programOf(unit.text);
  if (started === undefined) return warn(`${path} starts no program`, again);
  for (const file of [started.node, started.program])
    if (!existsSync(file))
      return [{ status: 'fail', message: `${path} starts ${file}, which does not exist`, fix: again }];
  if (started.program !== program) return warn(`${path} starts ${started.program}, and this is ${program}`, again);
  if (!unit.text.includes(`PINCER_STATE_DIR=${stateDir.replaceAll('%', '%%')}"`))
    return warn(`${path} uses another state folder than ${stateDir}`, again);
  return ok(`${path} starts this program`);
}
