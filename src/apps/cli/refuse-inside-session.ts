import { Fault } from '../../base/fault.ts';

/**
 * Refuses an action of the operator to a command in a session. A process of this user can remove the variable, so this stops
 * only accidents and simple tricks; the real protection is that such a command needs approval itself.
 */
export function refuseInsideSession(
  what: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): void {
  const session = env['PINCER_SESSION'];
  if (session === undefined || session === '') return;
  throw new Fault('APPROVAL_FROM_SESSION', `${what} is not allowed inside a session (${session})`, {
    hint: 'run it in your own terminal',
    details: { session },
  });
}
