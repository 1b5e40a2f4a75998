/** All checks, in the order of the output. */
import type { Check } from './check.ts';
import { clients } from './checks/clients.ts';
import { commands } from './checks/commands.ts';
import { containers } from './checks/containers.ts';
import { daemon, locks, socket } from './checks/daemon.ts';
import { clock, disk, limits } from './checks/machine.ts';
import { node } from './checks/node.ts';
import { gateway, ownNode } from './checks/nodes.ts';
import { database, packages } from './checks/packages.ts';
import { approvals, config } from './checks/rules.ts';
import { sandbox } from './checks/sandbox.ts';
import { path, shell } from './checks/shell.ts';
import { privateFiles, state } from './checks/state.ts';
import { terminal } from './checks/terminal.ts';
import { units } from './checks/units.ts';

export const CHECKS: readonly Check[] = [
  node,
  path,
  packages,
  database,
  shell,
  terminal,
  state,
  privateFiles,
  disk,
  clock,
  config,
  approvals,
  commands,
  daemon,
  socket,
  locks,
  limits,
  sandbox,
  containers,
  units,
  gateway,
  ownNode,
  clients,
];
