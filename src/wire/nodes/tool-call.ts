/** A call of a file tool on a node. */
import { array, integer, json, literal, object, oneOf, partial, string } from '../schema.ts';
import { toolCallSettings } from '../tool.ts';
import { FILE_TOOLS } from '../tool-names.ts';
import { bounded } from './bounded.ts';

const KIB = 1024;
/** The longest call and the longest result of a file tool, in bytes. A link may have several of them in transit. */
export const MOST_NODE_CALL = 16 * KIB * KIB;
const ARGUMENTS = { depth: 60, values: 100_000 };

/** Settings of the gateway. They can only restrict what the configuration of the node allows. */
const settings = partial({
  modelContextWindowTokens: integer({ min: 0, max: 2 ** 40 }),
  staleCheck: toolCallSettings.optional.staleCheck,
  /** Patterns of further files whose values are hidden. */
  hide: array(string({ max: KIB }), { max: 1_000 }),
});

export const nodeToolCall = object(
  {
    tool: oneOf(FILE_TOOLS),
    args: bounded(json(ARGUMENTS), { text: MOST_NODE_CALL, values: ARGUMENTS.values }),
    caller: object(
      { agent: string({ max: 256 }) },
      {
        client: string({ max: 256 }),
        conversation: string({ max: 1024 }),
        /** The person at the command line of the gateway, who may undo the changes of all its agents. */
        operator: literal(true),
      },
    ),
  },
  { settings: bounded(settings, { text: 64 * KIB, values: 2_000 }) },
);
