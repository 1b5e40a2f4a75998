import type { SandboxInfo } from '../../../wire/sandbox.ts';
import { durationText } from '../ps/run.ts';
import { tableText } from '../table.ts';
import { visibleLine } from '../../terminal/visible.ts';

const HEADINGS = ['ID', 'BACKEND', 'OWNER', 'ACCESS', 'RUNNING', 'UP', 'UNUSED', 'WORKSPACE'];

export function sandboxTable(sandboxes: readonly SandboxInfo[], now: number, colour: boolean): string {
  return tableText(
    HEADINGS,
    sandboxes.map((sandbox) => cells(sandbox, now)),
    colour,
  );
}

function cells(sandbox: SandboxInfo, now: number): readonly string[] {
  const { id, backend, owner, workspaceAccess, running, startedAt, lastUsedAt, workspace } = sandbox;
  return [
    id,
    backend,
    visibleLine(owner),
    workspaceAccess,
    String(running),
    durationText(now - startedAt),
    running > 0 ? '-' : durationText(now - lastUsedAt),
    visibleLine(workspace),
  ];
}
