/** The recording of a session with a terminal: a text in the format asciicast v3, one JSON value per line. */
import { boolean, type Infer, integer, literal, object, oneOf, string } from '../schema.ts';

/** Whole lines of a recording. */
export const recordingPage = object(
  {
    text: string(),
    /** The byte position after the text: `from` of the next call. */
    next: integer({ min: 0 }),
    /** The session has ended, and this is the end of its recording. */
    done: boolean(),
  },
  {
    /** A part of the output is not in the recording: a mark `gap` has its size. */
    truncated: literal(true),
  },
);
export type RecordingPage = Infer<typeof recordingPage>;

/** Who typed: an agent, a person at the command line, or a person at the control page. */
export const inputSource = oneOf(['agent', 'operator', 'page']);
export type InputSource = Infer<typeof inputSource>;

/** The meaning of an event `m`. Only pincer writes them: a program cannot, because its output is in events `o`. */
export type RecordingMark =
  /** Input arrived; its text is not recorded. */
  | { readonly kind: 'input'; readonly source: InputSource }
  /** Output that is not in the recording. */
  | { readonly kind: 'gap'; readonly bytes: number }
  /** The node of the session is not connected, or is connected again. */
  | { readonly kind: 'node'; readonly state: 'disconnected' | 'connected' }
  /** The gateway was restarted: output of the moment before may be missing. */
  | { readonly kind: 'restarted' }
  /** The session ended without an exit status: `SIGKILL`, `lost`. */
  | { readonly kind: 'ended'; readonly how: string };

/** The label of the event. */
export function markLabel(mark: RecordingMark): string {
  switch (mark.kind) {
    case 'input':
      return `input ${mark.source}`;
    case 'gap':
      return `gap ${mark.bytes} bytes`;
    case 'node':
      return `node ${mark.state}`;
    case 'restarted':
      return 'gateway restarted';
    case 'ended':
      return `ended ${mark.how}`;
  }
}

const LABELS = /^(?:input (agent|operator|page)|gap (\d+) bytes|node (disconnected|connected)|ended (\S+))$/u;

/** Undefined for a label that pincer does not write. */
export function markOfLabel(label: string): RecordingMark | undefined {
  if (label === 'gateway restarted') return { kind: 'restarted' };
  const [, source, bytes, state, how] = LABELS.exec(label) ?? [];
  if (source !== undefined) return { kind: 'input', source: source as InputSource };
  if (bytes !== undefined) return { kind: 'gap', bytes: Number(bytes) };
  if (state !== undefined) return { kind: 'node', state: state as 'disconnected' | 'connected' };
  return how === undefined ? undefined : { kind: 'ended', how };
}
