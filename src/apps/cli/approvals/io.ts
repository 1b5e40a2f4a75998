import type { ApprovalsFile } from '../../../hosts/approvals/shape.ts';
import type { Gateway } from '../../../wire/methods.ts';
import type { Keyboard } from './keyboard.ts';

/** What the command needs of the machine. */
export interface ApprovalsIo {
  connect(): Promise<Gateway & { close?(): void }>;
  file(): ApprovalsFile;
  /** All of standard input. */
  input(): string;
  /** Absent when nobody sits there. */
  readonly keyboard: Keyboard | undefined;
  /** Who answers. */
  readonly by: string;
  now(): number;
  /** The size of the terminal. */
  size(): { readonly cols: number; readonly rows: number };
}
