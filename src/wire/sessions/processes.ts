/** The processes of a session, for a person who decides whether to end it. */
import { array, type Infer, integer, object, string } from '../schema.ts';

/** One process of a session. */
export const sessionProcess = object({
  pid: integer(),
  /** The pid of its parent, which may be a process outside of the session. */
  ppid: integer(),
  /** Its command line, without control characters. */
  command: string(),
});
export type SessionProcess = Infer<typeof sessionProcess>;

/** The processes that `session.kill` would end, parents first. */
export const sessionProcesses = object(
  { processes: array(sessionProcess) },
  {
    /** The number of processes that are not listed. */
    omitted: integer({ min: 1 }),
    /** Why none is listed. */
    unavailable: string(),
  },
);
export type SessionProcesses = Infer<typeof sessionProcesses>;
