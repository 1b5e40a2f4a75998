/** The machine around `pincer approvals`: the daemon, the file of the state folder, the keyboard, the person. */
import { userInfo } from 'node:os';
import { homeFolder, stateFolder } from '../../../config/state.ts';
import { approvalsFileIn } from '../../../hosts/gateway/approvals/approvals-file.ts';
import { openGateway } from '../gateway.ts';
import { readAllInput } from '../input.ts';
import { terminalKeyboard } from './keyboard.ts';
import type { ApprovalsIo } from './io.ts';

/** What this process has. */
export function processIo(): ApprovalsIo {
  return {
    connect: () => openGateway(),
    file: () => approvalsFileIn(stateFolder(), { home: homeFolder() }),
    input: () => readAllInput().toString(),
    keyboard: terminalKeyboard(),
    by: userName(),
    now: Date.now,
    size: () => ({ cols: process.stdout.columns ?? 80, rows: process.stdout.rows ?? 24 }),
  };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.geteuid?.() ?? 'unknown'}`; // a user without a name, as in containers
  }
}
