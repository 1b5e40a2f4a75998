/** A request to a node whose end is not reported yet: what its session needs after a restart, or at another gateway. */
import { actor } from '../caller.ts';
import { nodeOrigin } from '../chosen-node.ts';
import { boolean, type Infer, integer, literal, number, object, oneOf, string } from '../schema.ts';
import { terminalSize } from '../session.ts';
import { nodeStore } from './methods.ts';
import { nodeId, nodeName } from './node.ts';
import { uuid } from './questions.ts';

/** The settings that apply at its end. */
export const requestSettings = object({
  notifyOnExit: boolean(),
  notifyOnExitEmptySuccess: boolean(),
  approvalRunningNoticeMs: number(),
  maxLogBytes: number(),
  cleanupMs: number(),
});
export type RequestSettings = Infer<typeof requestSettings>;

export const requestRecord = object(
  {
    node: object({ id: nodeId, name: nodeName }, { from: nodeOrigin }),
    caller: actor,
    /** With masked secrets. */
    command: string(),
    cwd: string(),
    sentAt: integer(),
    timeout: number(),
    stdin: oneOf(['open', 'closed']),
    settings: requestSettings,
  },
  {
    masked: literal(true),
    pty: terminalSize,
    /** When the node started it, where a person had to approve it first; otherwise it started when it was sent. */
    startedAt: integer(),
    /** Its client waits for it at the gateway: it ends with the gateway. */
    attached: literal(true),
  },
);
export type RequestRecord = Infer<typeof requestRecord>;

export const openRequest = object(
  {
    ...requestRecord.required,
    key: uuid,
    /** The store of the node that may know the key. */
    store: nodeStore,
    /** The id of its session at the gateway. */
    session: string({ max: 64, pattern: /^[a-z0-9-]+$/u }),
    /**
     * `sent`: the node has not confirmed the start. `asked`: a person has to approve it. `running`: its session was started at the
     * gateway.
     */
    state: oneOf(['sent', 'asked', 'running']),
    /** It is to be killed at the next link. */
    isKillWanted: boolean(),
  },
  {
    ...requestRecord.optional,
    /** The approval request on the node. */
    approval: uuid,
    /** Since when its node is not connected. */
    unreachableSince: number(),
  },
);
export type OpenRequest = Infer<typeof openRequest>;
