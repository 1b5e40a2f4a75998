/** The methods of the daemon that a page may call. Every other method of the daemon is closed to pages. */
import { Fault } from '../../../../base/fault.ts';
import { type Method, METHODS, type Methods } from '../../../../wire/methods.ts';
import { type Members, object, type ObjectSchema, partial, string } from '../../../../wire/schema.ts';
import { ARM_MS } from '../../../../wire/page.ts';
import type { Role } from '../../../../wire/page/login.ts';
import { LONGEST_WAIT_MS, MOST_APPROVAL_BYTES, MOST_APPROVALS, MOST_LISTED, MOST_RECORDING_BYTES } from '../limits.ts';
import type { PageCall, PageMethod } from './page-method.ts';
import { cancelled } from '../faults.ts';
import { shownSessions } from './shown-sessions.ts';
import { shownJudgement, shownRules } from './shown-values.ts';
import { Turns } from './turns.ts';

interface RowOptions {
  /** The question is about an agent, so the caller is the agent and not the operator. */
  readonly asAgent?: true;
  /** Optional for programs, required from a page. */
  readonly required?: readonly string[];
  /** The bounds of numbers: a larger one is lowered, and a missing one is the bound. */
  readonly atMost?: Readonly<Record<string, number>>;
  /** The parameters that the audit log gets, where the daemon does not record the call itself. */
  readonly recorded?: readonly string[];
  readonly recordedOnce?: true;
  /** It takes much memory: a login has one at a time, whatever its pages ask for. */
  readonly large?: true;
  /** Throws where the call is refused. */
  readonly check?: (params: Readonly<Record<string, unknown>>, call: PageCall) => Promise<void>;
  /** What a login may see of the result (default: all of it). */
  readonly shown?: (result: never, call: PageCall) => unknown;
}

/**
 * The parameters that a page gives. The server sets all others, or leaves them out: a parameter that the daemon gets later is closed
 * to pages. `agent` chooses the agent that the server calls for.
 */
type Open<M extends Method> = keyof Methods[M]['params'] | 'agent';
type Row = readonly [name: Method, role: Role, open: readonly string[], options: RowOptions];

function row<M extends Method>(name: M, role: Role, open: readonly Open<M>[] = [], options: RowOptions = {}): Row {
  return [name, role, open as readonly string[], options];
}

const PART = { limit: MOST_LISTED } as const;

const ROWS: readonly Row[] = [
  row('approval.extend', 'operator', ['id', 'byMs']),
  row('approval.history', 'viewer', ['q', 'before', 'limit'], { large: true }),
  row('approval.list', 'viewer', ['state', 'limit', 'maxBytes'], {
    atMost: { limit: MOST_APPROVALS, maxBytes: MOST_APPROVAL_BYTES },
    large: true,
  }),
  row('approval.count', 'viewer', ['state']),
  row('approval.show', 'viewer', ['id']),
  row('approval.resolve', 'operator', ['id', 'decision', 'digest', 'reason', 'narrow'], {
    required: ['digest'],
    check: refuseUnread,
  }),
  row('audit.export', 'viewer', ['q', 'next']),
  row('audit.histogram', 'viewer', ['q', 'from', 'to', 'bins']),
  row('audit.list', 'viewer', ['after', 'limit', 'client', 'q'], { atMost: PART }),
  row('audit.query', 'viewer', ['q', 'before', 'limit']),
  row('audit.verify', 'viewer'),
  row('daemon.status', 'viewer'),
  row('event.range', 'viewer'),
  row('login.link', 'operator', ['role', 'ttl']),
  row('login.list', 'viewer'),
  row('login.revoke', 'operator', ['id']),
  row('node.approve', 'operator', ['node', 'replaces']),
  row('node.invite', 'operator', ['url']),
  row('node.list', 'viewer'),
  row('node.pending', 'viewer'),
  row('node.reject', 'operator', ['node']),
  row('node.remove', 'operator', ['node']),
  row('node.rename', 'operator', ['node', 'name'], { recorded: ['node', 'name'] }),
  row('node.show', 'viewer', ['node']),
  row('notice.list', 'viewer', ['after', 'limit', 'client'], { atMost: PART, large: true }),
  row('policy.explain', 'viewer', ['request', 'agent', 'context'], { asAgent: true, shown: shownJudgement }),
  row('policy.posture', 'viewer', ['folder', 'agent'], { asAgent: true, shown: shownJudgement }),
  row('rules.get', 'viewer', [], { shown: shownRules }),
  row('rules.set', 'operator', ['change', 'revision']),
  row('sandbox.list', 'viewer'),
  row('sandbox.recreate', 'operator', ['agent'], { recorded: ['agent'] }),
  row('session.clear', 'operator', ['sessionId', 'agent'], { recorded: ['sessionId', 'agent'] }),
  row('session.control', 'operator', ['sessionId', 'take', 'agent'], { check: noteControlled }),
  // Typed text may be a password.
  row('session.input', 'operator', ['sessionId', 'input', 'agent'], {
    recorded: ['sessionId', 'agent'],
    recordedOnce: true,
  }),
  row('session.interrupt', 'operator', ['sessionId', 'agent'], { recorded: ['sessionId', 'agent'] }),
  row('session.kill', 'operator', ['sessionId', 'agent'], { recorded: ['sessionId', 'agent'] }),
  row('session.list', 'viewer', ['agent'], { large: true, shown: shownSessions }),
  row('session.log', 'viewer', ['sessionId', 'offset', 'limit', 'agent']),
  row('session.processes', 'viewer', ['sessionId', 'agent']),
  row('session.recording', 'viewer', ['sessionId', 'from', 'maxBytes', 'agent'], {
    atMost: { maxBytes: MOST_RECORDING_BYTES },
  }),
  row('session.resize', 'operator', ['sessionId', 'size', 'agent'], {
    recorded: ['sessionId', 'agent'],
    recordedOnce: true,
  }),
  row('session.screen', 'viewer', ['sessionId', 'agent']),
  row('session.wait', 'viewer', ['sessionId', 'waitMs', 'agent'], { atMost: { waitMs: LONGEST_WAIT_MS } }),
];

/** The workspace of the server, and the place of a command in it. */
const CHOSEN_BY_DEFAULT = ['folder', 'context'];
/** Of the context of a command, a page chooses only the folder. */
const context = partial({ folder: string() });

/** By name. */
export const DAEMON_METHODS: ReadonlyMap<string, PageMethod> = new Map(
  ROWS.map(([name, role, open, options]) => [name, daemonMethod(name, role, open, options)]),
);

type Params = Readonly<Record<string, unknown>>;

/** By login. */
const turns = new Turns();

function daemonMethod(name: Method, role: Role, open: readonly string[], options: RowOptions): PageMethod {
  const { asAgent, required = [], atMost = {}, recorded, recordedOnce, large, check, shown } = options;
  const shape = METHODS[name].params as ObjectSchema;
  const known: Members = { ...shape.required, ...shape.optional };
  const has = (member: string): boolean => Object.hasOwn(known, member);
  const isNeeded = (member: string): boolean =>
    required.includes(member) || (Object.hasOwn(shape.required, member) && !CHOSEN_BY_DEFAULT.includes(member));
  const members: Members = { agent: string(), ...known, ...(has('context') ? { context } : {}) };
  const part = (wanted: boolean): Members =>
    Object.fromEntries(open.filter((member) => isNeeded(member) === wanted).map((each) => [each, members[each]!]));

  const fullParams = (given: Params, call: PageCall): unknown => {
    const { agent = call.agent, context: where, ...rest } = given as typeof given & GivenPlace;
    const { folder = call.workspace } = { ...rest, ...where } as GivenPlace & { readonly folder?: string };
    const bounded = Object.entries(atMost).map(([member, most]) => [
      member,
      Math.min(Number(rest[member] ?? most), most),
    ]);
    return {
      ...rest,
      ...Object.fromEntries(bounded),
      ...(has('agent') && given['agent'] !== undefined ? { agent } : {}),
      ...(has('folder') ? { folder } : {}),
      ...(has('caller') ? { caller: { agent, ...(asAgent === true ? {} : { operator: true }) } } : {}),
      ...(has('by') ? { by: call.by } : {}),
      ...(has('typist') ? { typist: call.controlled.typist } : {}),
      ...(has('context') ? { context: { caller: { agent }, folder, environment: call.environment } } : {}),
    };
  };

  return {
    role,
    params: object(part(true), part(false)),
    ...(recorded === undefined ? {} : { recorded: (given: unknown) => recordOf(name, given as Params, recorded) }),
    ...(recordedOnce === undefined ? {} : { recordedOnce }),
    async run(given: unknown, call: PageCall) {
      await check?.(given as Params, call);
      const work = async (): Promise<unknown> => {
        if (call.signal.aborted) throw cancelled();
        const result = await call.gateway.call(name, fullParams(given as Params, call) as never, call.signal);
        return shown === undefined ? result : shown(result as never, call);
      };
      return large === true ? turns.run(call.login.id, work) : work();
    },
  };
}

interface GivenPlace {
  readonly agent?: string;
  readonly context?: { readonly folder?: string };
}

function recordOf(method: string, given: Params, recorded: readonly string[]): Params {
  const known = recorded.filter((member) => given[member] !== undefined).map((member) => [member, given[member]]);
  return { method, ...Object.fromEntries(known) };
}

/** The end of the connection releases what it may control. */
async function noteControlled({ sessionId }: Readonly<Record<string, unknown>>, call: PageCall): Promise<void> {
  call.controlled.add(String(sessionId));
}

/** No person can have read an approval that is this new: the key was meant for another one. */
async function refuseUnread({ id }: Readonly<Record<string, unknown>>, { gateway }: PageCall): Promise<void> {
  const approval = await gateway.call('approval.show', { id: String(id) });
  const age = Date.now() - approval.createdAt;
  // A clock that was set back, or that of another gateway, says nothing about the age.
  if (age < 0 || age >= ARM_MS) return;
  throw new Fault(
    'APPROVAL_TOO_NEW',
    `approval ${approval.slug} is ${age} ms old, and can be answered after ${ARM_MS} ms`,
    {
      hint: 'read it, then answer again',
      details: { id: approval.id, createdAt: approval.createdAt },
    },
  );
}
