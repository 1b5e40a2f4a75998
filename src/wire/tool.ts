/** A call of a tool and its result, wherever the tool runs. */
import { actor } from './caller.ts';
import {
  array,
  boolean,
  type Infer,
  integer,
  json,
  literal,
  number,
  object,
  oneOf,
  partial,
  record,
  string,
  union,
} from './schema.ts';
import { secretRules } from './secret-rules.ts';

/** One piece of a result, as models take it. */
export const content = union(
  'type',
  object({ type: literal('text'), text: string() }),
  object({ type: literal('image'), data: string(), mimeType: string() }),
);
export type Content = Infer<typeof content>;

/** What a tool answers: content for the model, the same as data for machines. */
export const toolResult = object(
  { content: array(content), details: record(json()) },
  {
    isError: literal(true),
    /** The message of a failure. */
    error: string(),
  },
);
export type ToolResult = Infer<typeof toolResult>;

/** What the operator set for a file tool, beside its parameters. */
export const toolCallSettings = partial({
  modelContextWindowTokens: number(),
  showSecrets: boolean(),
  secrets: secretRules,
  staleCheck: oneOf(['off', 'advise', 'refuse']),
  hardLinks: oneOf(['refuse', 'in-place']),
  protect: literal('none'),
  durable: boolean(),
  workspaceOnly: boolean(),
  imageLimits: record(number()),
  /** The mask for new files (default: that of the daemon). */
  umask: integer({ min: 0, max: 0o777 }),
});
export type ToolCallSettings = Infer<typeof toolCallSettings>;

/** The settings of a call with who calls. */
export const toolCallContext = partial({ ...toolCallSettings.optional, ...actor.required, ...actor.optional });
export type ToolCallContext = Infer<typeof toolCallContext>;

/** A call, by the tool's own name. */
export interface ToolCall {
  readonly tool: string;
  readonly args: unknown;
  readonly context: ToolCallContext;
}
