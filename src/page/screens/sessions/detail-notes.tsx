import type { SessionInfo } from '../../../wire/session.ts';
import { Callout, FaultNote } from '../../components/callout.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { serverNow } from '../../state/clock.ts';
import { personText } from '../../text/person.ts';
import { clockText } from '../../text/times.ts';
import type { Typing } from './live/typing.ts';

interface DetailNotesProps {
  readonly session: SessionInfo;
  readonly typing: Typing;
  readonly problem: unknown;
}

/** What a person must know before reading the output. */
export function DetailNotes({ session, typing, problem }: DetailNotesProps) {
  const { failure, failureNote, unreachableSince, controller } = session;
  return (
    <>
      {typing.isTyping ? (
        <Callout tone="ask" icon="warn" role="status">
          <b>You are typing.</b> What you type into the terminal goes to the program and is not judged.{' '}
          <kbd>Ctrl+Shift+Esc</kbd> or <kbd>Ctrl+Shift+X</kbd> stops it.
        </Callout>
      ) : undefined}
      {controller !== undefined && !typing.isTyping ? (
        <Callout tone="plain" icon="person">
          <HostileText
            text={`${personText(controller.by)} has been typing since ${clockText(controller.since, serverNow())}.`}
          />
        </Callout>
      ) : undefined}
      {failure === 'lost' ? (
        <Callout tone="no" icon="off">
          <b>Lost.</b> The gateway ended while this ran. Whether and how the command ended is unknown.
        </Callout>
      ) : undefined}
      {unreachableSince === undefined ? undefined : (
        <Callout tone="no" icon="off">
          <b>Its node has not been connected since {clockText(unreachableSince, serverNow())}.</b> The command continues
          there, and its output follows after the reconnect.
        </Callout>
      )}
      {failureNote === undefined || failure === 'lost' ? undefined : (
        <Callout tone="no" icon="no">
          <HostileText text={failureNote} />
        </Callout>
      )}
      {problem === undefined ? undefined : <FaultNote error={problem} />}
    </>
  );
}
