/** Tool calls and results. */
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

/** The operator's additions to the table of files with secrets, as patterns of file names. */
export const secretRules = partial({
  /** Additional files whose values are hidden; overrides `show`. */
  hide: array(string()),
  /** Files whose values are shown although the table hides them. */
  show: array(string()),
});
export type SecretRules = Infer<typeof secretRules>;

/** A part of a result, for the model. */
export const content = union(
  'type',
  object({ type: literal('text'), text: string() }),
  object({ type: literal('image'), data: string(), mimeType: string() }),
);
export type Content = Infer<typeof content>;

/** The result of a tool: content for the model, and details for programs. */
export const toolResult = object(
  { content: array(content), details: record(json()) },
  {
    isError: literal(true),
    /** The message of a failure. */
    error: string(),
  },
);
export type ToolResult = Infer<typeof toolResult>;

/** The operator's settings for a file tool. */
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
  /** The umask for new files (default: that of the daemon). */
  umask: integer({ min: 0, max: 0o777 }),
});
export type ToolCallSettings = Infer<typeof toolCallSettings>;

/** The settings and the actor of a call. */
export const toolCallContext = partial({
  ...toolCallSettings.optional,
  ...actor.required,
  ...actor.optional,
  /** The person at the command line, who may undo the changes of all clients. */
  operator: literal(true),
  /** May undo the changes of all agents whose names begin with this. */
  agentPrefix: string(),
  /** Only calls that change nothing. */
  readOnly: literal(true),
});
export type ToolCallContext = Infer<typeof toolCallContext>;

export interface ToolCall {
  /** Not an alias. */
  readonly tool: string;
  readonly args: unknown;
  readonly context: ToolCallContext;
}
