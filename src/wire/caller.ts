/** Who asks, as it crosses a boundary; `actor.ts` works with it. */
import { type Infer, literal, object, string } from './schema.ts';

export const actor = object(
  { agent: string() },
  {
    /** As `clientName` gives it; absent in records that are older than this member. */
    client: string(),
    conversation: string(),
  },
);
export type Actor = Infer<typeof actor>;

/** Sessions belong to an agent; another agent's session does not exist. */
export const caller = object(actor.required, {
  ...actor.optional,
  /** The person at the command line, who sees the sessions of every agent. Never set for a tool call. */
  operator: literal(true),
});
export type Caller = Infer<typeof caller>;
