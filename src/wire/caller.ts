/** The schemas of actors and callers; `actor.ts` has the functions. */
import { type Infer, literal, object, string } from './schema.ts';

export const actor = object(
  { agent: string() },
  {
    /** The normalised name of the client; absent in old records. */
    client: string(),
    conversation: string(),
  },
);
export type Actor = Infer<typeof actor>;

/** The caller of a method. An agent sees only its own sessions. */
export const caller = object(actor.required, {
  ...actor.optional,
  /** The person at the command line, who sees the sessions of all agents. Never set for a tool call. */
  operator: literal(true),
});
export type Caller = Infer<typeof caller>;
