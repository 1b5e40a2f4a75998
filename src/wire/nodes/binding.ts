/** The setting that binds commands to a node, for all agents and for each, and what it means now. */
import { chosenNode } from '../chosen-node.ts';
import { hostName } from '../policy.ts';
import { array, boolean, type Infer, literal, number, object, string, union } from '../schema.ts';

/** The node that commands of an agent would run on now. */
export const nodeChoice = object(
  {
    /** Where commands run that name no host. */
    host: hostName,
    /** One sentence: what happens to commands now. */
    sentence: string(),
    /** A command with host=node would be sent now. */
    ok: boolean(),
    /** A command that names no host runs on this machine and is not judged. */
    isOpen: boolean(),
  },
  {
    node: chosenNode,
    /** Why no node can be used. */
    fault: object({ code: string(), message: string() }, { hint: string() }),
  },
);
export type NodeChoiceReport = Infer<typeof nodeChoice>;

/** Where a value comes from. */
const settingSource = object(
  { layer: string() },
  { file: string(), line: number(), variable: string(), ocPath: string() },
);

/** One row of the panel "Exec node binding". */
const bindingRow = object(
  {
    /** The setting. */
    path: string(),
    /** The file and the place in it that a change writes. */
    file: string(),
    ocPath: string(),
    choice: nodeChoice,
  },
  {
    /** The id or the name of the node; absent where the setting is not set. */
    node: string(),
    source: settingSource,
  },
);

export const execBindings = object({
  /** Of the file that a change writes. */
  revision: string(),
  /** `tools.exec.node`. */
  default: bindingRow,
  agents: array(object({ ...bindingRow.required, agent: string() }, bindingRow.optional)),
  warnings: array(string()),
});
export type ExecBindings = Infer<typeof execBindings>;

export const bindingAnswer = union(
  'ok',
  object({
    ok: literal(true),
    path: string(),
    file: string(),
    ocPath: string(),
    changed: boolean(),
    diff: string(),
    warnings: array(string()),
    current: execBindings,
  }),
  /** The file was changed since `revision`; nothing was written. */
  object({ ok: literal(false), reason: literal('conflict'), message: string(), current: execBindings }),
);
export type BindingAnswer = Infer<typeof bindingAnswer>;
