import { homeFolder, stateFolder } from '../../../config/state.ts';
import type { ApprovalsFile } from '../../../hosts/approvals/shape.ts';
import { approvalsFileIn } from '../../../hosts/gateway/approvals/approvals-file.ts';
import type { Gateway } from '../../../wire/methods.ts';
import { openGateway } from '../gateway.ts';
import { readAllInput } from '../input.ts';
import { userName } from '../user-name.ts';
import { type Keyboard, terminalKeyboard } from './keyboard.ts';

/** What `pincer approvals` uses of the machine; tests replace it. */
export interface ApprovalsIo {
  connect(): Promise<Gateway & { close?(): void }>;
  file(): ApprovalsFile;
  /** Reads standard input to its end. */
  input(): string;
  /** Undefined without a terminal. */
  readonly keyboard: Keyboard | undefined;
  /** User name of the person who answers. */
  readonly by: string;
  now(): number;
  /** Size of the terminal. */
  size(): { readonly cols: number; readonly rows: number };
}

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
