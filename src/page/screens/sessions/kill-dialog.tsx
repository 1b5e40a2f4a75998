import { useState } from 'preact/hooks';
import type { SessionInfo } from '../../../wire/session.ts';
import type { SessionProcesses } from '../../../wire/sessions/processes.ts';
import { FaultNote } from '../../components/callout.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { writeBlocked } from '../../state/link.ts';
import { useLoaded } from '../../state/loaded.ts';
import { call } from '../../state/server.ts';
import { toast } from '../../state/toasts.ts';
import { treeLines } from './process-tree.ts';
import { noteSession } from './selection.ts';

interface KillDialogProps {
  readonly session: SessionInfo;
  readonly onClose: () => void;
}

/** Shows which processes end, then ends them. */
export function KillDialog({ session, onClose }: KillDialogProps) {
  const sessionId = session.id;
  const { value: found, error } = useLoaded(sessionId, (signal) => call('session.processes', { sessionId }, signal));
  const [failure, setFailure] = useState<unknown>(undefined);
  const problem = failure ?? error;
  const isRunning = session.status === 'running';
  const kill = async (): Promise<void> => {
    const ended = await call('session.kill', { sessionId });
    noteSession(ended);
    onClose();
    toast(ended.endedLeftovers === undefined ? 'Killed' : `Killed ${ended.endedLeftovers} processes`);
  };
  return (
    <Dialog
      title={isRunning ? 'Kill this session?' : 'Kill the processes that it left behind?'}
      onClose={onClose}
      action={{
        kind: 'destructive',
        text: buttonText(found),
        blocked: writeBlocked.value,
        onPress: () => void kill().catch(setFailure),
      }}
    >
      <p>The whole tree ends: its processes first get SIGTERM, and SIGKILL if they do not end.</p>
      {problem === undefined ? undefined : <FaultNote error={problem} />}
      {found === undefined ? <p class="note">Looking for its processes…</p> : <Tree found={found} />}
    </Dialog>
  );
}

function buttonText(found: SessionProcesses | undefined): string {
  const count = (found?.processes.length ?? 0) + (found?.omitted ?? 0);
  if (count === 0) return 'Kill';
  return count === 1 ? 'Kill 1 process' : `Kill ${count} processes`;
}

function Tree({ found }: { readonly found: SessionProcesses }) {
  const { processes, omitted, unavailable } = found;
  if (processes.length === 0)
    return (
      <p class="note">
        <HostileText text={unavailable ?? 'No process was found.'} />
      </p>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="process-tree" aria-label="Processes" tabIndex={0}>
      <ul>
        {treeLines(processes).map(({ branch, pid, command }) => (
          <li key={pid}>
            <span class="branch">{branch}</span>
            {pid} <HostileText text={command} />
          </li>
        ))}
      </ul>
      {omitted === undefined ? undefined : <p class="note">and {omitted} more</p>}
    </section>
  );
}
