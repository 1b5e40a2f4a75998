import { Fault } from '../../base/fault.ts';

/**
 * Refuses what only a person may say when a command of a session says it. Whoever runs as this user could take the mark away,
 * so this stops accidents and simple tricks; what stops the others is that such a command has to be approved itself.
 */
export function refuseInsideSession(
  what: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): void {
  const session = env['PINCER_SESSION'];
  if (session === undefined || session === '') return;
  throw new Fault('APPROVAL_FROM_SESSION', `${what} is for a person, and this is the session ${session}`, {
    hint: 'do it in a terminal of your own',
    details: { session },
  });
}
