/** Why a call of a page is refused. */
import { Fault } from '../../../base/fault.ts';

export function unknownMethod(name: string): Fault {
  return new Fault('GATEWAY_UNKNOWN_METHOD', `the control page has no method ${JSON.stringify(name)}`, {
    hint: 'reload the page: it may be of another build than the server',
  });
}

/** `what` is a method, or a call of a tool. */
export function needsOperator(what: string): Fault {
  return new Fault('LOGIN_ROLE', `${what} needs the role operator, and this login is a viewer`, {
    hint: 'open a link of pincer page --role operator',
  });
}

export function tooManyCalls(): Fault {
  return new Fault('GATEWAY_BUSY', 'too many calls of this page are open', { hint: 'try again in a moment' });
}

export function tooManyFollowed(most: number): Fault {
  return new Fault('GATEWAY_BUSY', `a page follows at most ${most} sessions at once`, { hint: 'close one of them' });
}

export function unread(): Fault {
  return new Fault('GATEWAY_BUSY', 'the page has not read its earlier results yet', { hint: 'try again in a moment' });
}

export function cancelled(): Fault {
  return new Fault('TOOL_ABORTED', 'the page cancelled the call, or was closed', { hint: 'call again' });
}

export function tooLarge(name: string): Fault {
  return new Fault('GATEWAY_TOO_LARGE', `the result of ${name} is too large for the page`, {
    hint: 'request less: a smaller limit, or a part of it',
  });
}

export function ownDefect(): Fault {
  return new Fault('INTERNAL_ERROR', 'the call failed because of a bug in pincer', {
    hint: 'the output of pincer serve has details',
  });
}
