import { useEffect, useMemo, useState } from 'preact/hooks';
import type { SessionInfo } from '../../../../wire/session.ts';
import { Callout, FaultNote } from '../../../components/callout.tsx';
import { navigate, pathTo, place } from '../../../router.ts';
import { link } from '../../../state/link.ts';
import { call } from '../../../state/server.ts';
import { bytesText } from '../../../text/times.ts';
import { Drawing } from '../terminal/drawing.ts';
import type { TerminalScreen } from '../terminal/terminal-screen.ts';
import { TerminalPane } from '../terminal/terminal-pane.tsx';
import { useTerminal } from '../terminal/use-terminal.ts';
import { Playback } from './playback.ts';
import { Recording } from './recording.ts';
import { MOST_REDRAWN, Replay } from './replay.ts';
import { Scrubber } from './scrubber.tsx';

interface ReplayTerminalProps {
  readonly session: SessionInfo;
  readonly isText: boolean;
}

interface Parts {
  readonly recording: Recording;
  readonly replay: Replay;
  readonly playback: Playback;
}

const NOBODY = { typed: () => undefined, leave: () => undefined };
/** A smaller difference comes from the rounding of the address. */
const SAME_MOMENT_MS = 100;

/** A recorded session, at any moment. */
export function ReplayTerminal({ session, isText }: ReplayTerminalProps) {
  const terminal = useTerminal(session.pty ?? { cols: 80, rows: 24 }, NOBODY);
  const { screen } = terminal;
  const parts = useMemo(() => (screen === undefined ? undefined : partsOf(session.id, screen)), [screen]);
  const [isLoaded, setIsLoaded] = useState(false);
  const [readBytes, setReadBytes] = useState(0);
  const [problem, setProblem] = useState<unknown>(undefined);
  const wanted = momentOf(place.value.query);
  const isLive = link.value.kind === 'live';
  useEffect(() => () => parts?.playback.pause(), [parts]);
  useEffect(() => {
    if (parts === undefined || !isLive) return undefined;
    const { recording, playback } = parts;
    let isGone = false;
    const load = async (): Promise<void> => {
      // After a lost link it continues with the page that was not loaded; after the end, with what was recorded since.
      await recording.extend(() => {
        if (isGone) throw new Error('the view was closed');
        setReadBytes(recording.bytes);
      });
      if (!isLoaded) await playback.seek(wanted ?? recording.durationMs);
      else if (playback.problem.peek() !== undefined) await playback.seek(playback.ms.peek());
      setProblem(undefined);
      setIsLoaded(true);
    };
    const failed = (error: unknown): void => {
      if (!isGone && link.peek().kind === 'live') setProblem(error);
    };
    load().catch(failed);
    return () => {
      isGone = true;
    };
  }, [parts, isLive, session.status]);
  const loaded = isLoaded ? parts : undefined;
  useEffect(() => {
    if (loaded === undefined || wanted === undefined) return;
    if (Math.abs(loaded.playback.ms.peek() - wanted) > SAME_MOMENT_MS) void loaded.playback.seek(wanted);
  }, [wanted]);
  const playback = loaded?.playback;
  const failed = problem ?? playback?.problem.value;
  return (
    <>
      {failed === undefined ? undefined : <FaultNote error={failed} />}
      {loaded === undefined && failed === undefined ? (
        <p class="note reading" role="status">
          Reading the recording… {bytesText(readBytes)}
        </p>
      ) : undefined}
      {loaded === undefined ? undefined : <ReplayNotes {...loaded} />}
      <TerminalPane terminal={terminal} label={`Recording of session ${session.id}`} isText={isText} isTyping={false} />
      {loaded === undefined ? undefined : (
        <Scrubber
          playback={loaded.playback}
          recording={loaded.recording}
          isRunning={session.status === 'running'}
          onMoment={(ms) => navigate(`${pathTo('sessions', session.id)}?t=${(ms / 1000).toFixed(1)}`, 'replace')}
          onLive={() => navigate(pathTo('sessions', session.id), 'replace')}
        />
      )}
    </>
  );
}

function partsOf(sessionId: string, screen: TerminalScreen): Parts {
  const recording = new Recording((from, maxBytes) => call('session.recording', { sessionId, from, maxBytes }));
  const replay = new Replay(recording, new Drawing(screen));
  const clock = { now: () => performance.now(), nextFrame: (run: () => void) => void requestAnimationFrame(run) };
  return { recording, replay, playback: new Playback(recording, replay, clock) };
}

function ReplayNotes({ recording, replay, playback }: Parts) {
  void playback.ms.value; // what it says depends on the shown moment
  return (
    <>
      {recording.isTruncated ? (
        <Callout tone="ask" icon="warn">
          A part of the output is not in the recording. Marks of gaps say where, and how much.
        </Callout>
      ) : undefined}
      {replay.isFromStart ? undefined : (
        <Callout tone="ask" icon="warn">
          The screen is drawn from the {bytesText(MOST_REDRAWN)} of output before this moment. What was drawn earlier is
          missing.
        </Callout>
      )}
    </>
  );
}

/** Milliseconds; undefined where the address names no moment. */
export function momentOf(query: URLSearchParams): number | undefined {
  const seconds = Number(query.get('t') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}
