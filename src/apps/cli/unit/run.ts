/** `pincer gateway install|uninstall` and `pincer node install|uninstall`: the file of a systemd user unit. Starts nothing. */
import { homedir, userInfo } from 'node:os';
import { Fault } from '../../../base/fault.ts';
import { stateFolder } from '../../../config/state.ts';
import type { Output } from '../../terminal/output.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { removeUnit, unitPath, writeUnit } from '../../unit/unit-file.ts';
import { type Unit, type UnitCommand, unitName, unitText } from '../../unit/unit-text.ts';
import { ownProgram } from '../own-program.ts';
import { printJson } from '../print-json.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';

export interface UnitOptions {
  readonly command: UnitCommand;
  /** After the name of the program. */
  readonly args: readonly string[];
  readonly folder: string;
  readonly force: boolean;
  readonly dryRun: boolean;
}

export function install({ command, args, folder, force, dryRun }: UnitOptions, json: boolean, output: Output): number {
  refuseInsideSession(`pincer ${command} install`);
  if (process.platform !== 'linux') throw notHere();
  const program = ownProgram();
  if (program === undefined) throw new Fault('UNIT_INVALID', 'cannot determine the path of the pincer program');
  const unit: Unit = { command, argv: [process.execPath, program, ...args], folder, environment: environmentOf() };
  const path = unitPath(command);
  const text = unitText(unit);
  if (!dryRun) writeUnit(path, unit, force);
  const commands = [
    'systemctl --user daemon-reload',
    `systemctl --user enable --now ${unitName(command)}`,
    `loginctl enable-linger ${userInfo().username}`,
  ];
  if (json) printJson(output, { path, text, written: !dryRun, commands });
  else if (dryRun) output.out(text);
  else output.out(installedText(path, command, commands));
  return 0;
}

function installedText(path: string, command: UnitCommand, commands: readonly string[]): string {
  return [
    `wrote ${visibleLine(path)}`,
    'to start it now and at each login, and also without a login:',
    ...commands.map((each) => `  ${each}`),
    `its log: journalctl --user -u ${unitName(command)}`,
    '',
  ].join('\n');
}

export function uninstall(command: UnitCommand, force: boolean, json: boolean, output: Output): number {
  refuseInsideSession(`pincer ${command} uninstall`);
  const path = unitPath(command);
  const removed = removeUnit(path, command, force);
  if (json) printJson(output, { path, removed });
  else if (removed) output.out(`removed ${visibleLine(path)}\nnext: systemctl --user daemon-reload\n`);
  else output.out(`there is no ${visibleLine(path)}\n`);
  return removed ? 0 : 1;
}

/** A unit starts with the environment of the user manager, not with that of this shell. */
function environmentOf(): Readonly<Record<string, string>> {
  const { HOME: home, XDG_CONFIG_HOME: config } = process.env;
  return {
    PINCER_STATE_DIR: stateFolder(),
    ...(config ? { XDG_CONFIG_HOME: config } : {}),
    ...(home && home !== userHome() ? { HOME: home } : {}),
  };
}

/** Of the system's list of users, whatever HOME says. */
function userHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    return homedir(); // a user without an entry, as in containers
  }
}

function notHere(): Fault {
  return new Fault('UNIT_INVALID', 'only Linux has systemd units', {
    hint: 'start pincer gateway or pincer node run with the service manager of this system',
  });
}
