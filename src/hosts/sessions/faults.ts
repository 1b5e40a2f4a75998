import { Fault } from '../../base/fault.ts';
import type { Controller } from '../../wire/sessions/typing.ts';

/** No session of this id is visible for the caller: it never existed, belongs to another agent, or was removed. */
export function sessionUnknown(id: string, several: readonly string[] = []): Fault {
  if (several.length > 0) {
    return new Fault('EXEC_SESSION_UNKNOWN', `more than one session starts with ${JSON.stringify(id)}`, {
      hint: `give the whole id: ${several.slice(0, 5).join(', ')}`,
    });
  }
  return new Fault('EXEC_SESSION_UNKNOWN', `there is no session ${JSON.stringify(id.slice(0, 80))}`, {
    hint: 'process list or pincer ps --all lists the sessions; finished ones are removed after a while',
  });
}

export function inputClosed(id: string, ended: boolean, cause?: unknown): Fault {
  return new Fault('EXEC_INPUT_CLOSED', `the standard input of session ${id} is closed`, {
    hint: ended
      ? 'the session has ended; its log can still be read'
      : 'start the command in a terminal (pty) to type into it while it runs',
    ...(cause === undefined ? {} : { cause }),
  });
}

export function inputFull(id: string): Fault {
  return new Fault('EXEC_INPUT_FULL', `session ${id} does not read its input, and its input buffer is full`, {
    hint: 'wait until the program reads, or end the session',
  });
}

export function noTerminal(id: string): Fault {
  return new Fault('EXEC_NO_TERMINAL', `session ${id} has no terminal`, {
    hint: 'start the command with pty to get a screen; the log has the output of every session',
  });
}

export function notRecorded(id: string): Fault {
  return new Fault('EXEC_NO_TERMINAL', `session ${id} has no recording`, {
    hint: 'only sessions with a terminal are recorded; the log has the output of every session',
  });
}

export function controlNeeded(id: string, controller: Controller | undefined): Fault {
  return new Fault('EXEC_CONTROL_NEEDED', `you do not have the control of session ${id}`, {
    hint:
      controller === undefined
        ? 'take the control first (session.control)'
        : `${controller.by} has it; wait until it is released`,
    ...(controller === undefined ? {} : { details: { controller } }),
  });
}

export function sessionEnded(id: string): Fault {
  return new Fault('EXEC_SESSION_ENDED', `session ${id} has ended`, { hint: 'its log can still be read' });
}

export function sessionRuns(id: string, leftovers = 0): Fault {
  const what = leftovers === 0 ? 'still runs' : `ended, ${leftovers} of its processes still run`;
  return new Fault('EXEC_SESSION_RUNNING', `session ${id} ${what}`, {
    hint: 'end it first, or remove it, which does both',
  });
}

export function wrongSize(): Fault {
  return new Fault('PARAM_INVALID', 'a terminal has 2 to 1000 columns and 1 to 1000 rows', {
    hint: 'give whole numbers, such as 120 columns and 30 rows',
  });
}

/** Refuses to start a session for an agent that has left too many unread. */
export function sessionsFull(agent: string, unread: number): Fault {
  return new Fault(
    'EXEC_SESSIONS_FULL',
    `${unread} finished sessions of agent ${JSON.stringify(agent)} have unread output`,
    {
      hint: 'read them with process poll or process log, or remove them with process clear; they are removed after tools.exec.cleanupMs',
    },
  );
}
