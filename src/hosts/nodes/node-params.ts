import { Fault } from '../../base/fault.ts';
import { Mismatch } from '../../wire/mismatch.ts';
import { NODE_METHODS, type NodeMethod, type NodeMethods } from '../../wire/nodes/methods.ts';
import { check, type Schema } from '../../wire/schema.ts';

/**
 * The parameters of a call of a node. What the node would refuse is refused here: its fault could not say what the caller can
 * change. `what` names the parameters in the message.
 */
export function nodeParams<M extends NodeMethod>(
  method: M,
  params: unknown,
  { what, hint }: { readonly what: string; readonly hint: string },
): NodeMethods[M]['params'] {
  const schema: Schema<unknown> = NODE_METHODS[method].params;
  try {
    return check(schema, params, what) as NodeMethods[M]['params'];
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    const { place, expected } = error;
    throw new Fault('PARAM_INVALID', `a node does not accept this call: ${place} must be ${expected}`, { hint });
  }
}
