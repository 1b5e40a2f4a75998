/** The effect of a client's tool call, as far as pincer has rules for it, and how to derive it from the parameters. */
import type { ClientName } from '../init/clients.ts';
import { isMembers, type Members, notAnEvent, textMember } from './event.ts';

export interface Replacement {
  readonly old: string;
  readonly next: string;
  readonly all: boolean;
}

/** The new content of a file: the whole text, or replacements in order. */
export type NewContent = { readonly whole: string } | { readonly replacements: readonly Replacement[] };

export type Subject =
  | {
      readonly does: 'run';
      readonly command: string;
      /** Relative to the folder of the event. */
      readonly workdir: string;
      /** True also if the client does not report whether there is a terminal. */
      readonly pty: boolean;
      /** Why the call asks even if its command is allowed. */
      readonly asks?: string;
    }
  | { readonly does: 'write'; readonly paths: readonly string[]; readonly content?: NewContent }
  | { readonly does: 'read'; readonly path: string }
  /** The tool `exec` of a server, which may be pincer. `separator` joins the parts of tool names in this client. */
  | {
      readonly does: 'exec';
      readonly client: ClientName;
      readonly server: string;
      readonly separator: string;
      readonly input: unknown;
    }
  /** No rule applies. */
  | { readonly does: 'nothing' }
  /** The call cannot be judged. */
  | { readonly does: 'unknown'; readonly why: string };

/** How the calls of one tool are interpreted. A call with an unlisted parameter cannot be judged. */
export interface ToolForm {
  readonly parameters: readonly string[];
  subject(input: Members): Subject;
  /** The subject does not depend on parameters. */
  readonly anyParameter?: true;
}

export type ToolForms = Readonly<Record<string, ToolForm | 'nothing'>>;

const NOTHING: Subject = { does: 'nothing' };

export function subjectOf(forms: ToolForms, tool: string, input: unknown): Subject {
  const form = Object.hasOwn(forms, tool) ? forms[tool] : undefined;
  if (form === 'nothing') return NOTHING;
  if (form === undefined) return { does: 'unknown', why: `unknown tool ${shortName(tool)}` };
  if (!isMembers(input)) throw notAnEvent('tool_input is not an object');
  const other = form.anyParameter ? undefined : Object.keys(input).find((name) => !form.parameters.includes(name));
  return other === undefined
    ? form.subject(input)
    : { does: 'unknown', why: `unknown parameter ${shortName(other)} of the tool ${tool}` };
}

const LONGEST_NAME = 100;

/** A name in a message. */
function shortName(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}…`;
}

/** Tools without rules. */
export function withoutRules(names: string): ToolForms {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/u)
      .map((name) => [name, 'nothing' as const]),
  );
}

/** A tool without rules for calls with these parameters only. */
export function withoutRulesFor(parameters: string): ToolForm {
  return { parameters: parameters.split(' '), subject: () => NOTHING };
}

export function parameter(input: Members, name: string): string {
  return textMember(input, name, `tool_input.${name}`);
}

interface RunForm {
  /** The parameter with the folder. */
  readonly workdir?: string;
  /** Parameters without influence on the judgement. */
  readonly others?: readonly string[];
  readonly pty?: boolean;
  /** Parameters that make the call ask if they are not `false`, with the reason. */
  readonly asks?: Readonly<Record<string, string>>;
}

export function runs({ workdir, others = [], pty = false, asks = {} }: RunForm): ToolForm {
  const folder = workdir === undefined ? [] : [workdir];
  return {
    parameters: ['command', ...folder, ...others, ...Object.keys(asks)],
    subject: (input) => {
      const given = workdir === undefined || input[workdir] === undefined ? '.' : parameter(input, workdir);
      const [why] = Object.entries(asks).flatMap(([name, reason]) =>
        (input[name] ?? false) === false ? [] : [reason],
      );
      const command = parameter(input, 'command');
      return { does: 'run', command, workdir: given, pty, ...(why === undefined ? {} : { asks: why }) };
    },
  };
}

/** A tool that writes a whole file. */
export function writesWhole(path: string, content: string, ...others: readonly string[]): ToolForm {
  return {
    parameters: [path, content, ...others],
    subject: (input) => ({
      does: 'write',
      paths: [parameter(input, path)],
      content: { whole: parameter(input, content) },
    }),
  };
}

/** A tool that replaces text in a file; `all` is the parameter for all occurrences. */
export function replaces(path: string, all: string, ...others: readonly string[]): ToolForm {
  return {
    parameters: [path, 'old_string', 'new_string', all, ...others],
    subject: (input) => ({
      does: 'write',
      paths: [parameter(input, path)],
      content: { replacements: [replacement(input, all)] },
    }),
  };
}

export function replacement(members: Members, all: string): Replacement {
  return {
    old: parameter(members, 'old_string'),
    next: parameter(members, 'new_string'),
    all: members[all] === true,
  };
}

/** A tool whose calls always ask. */
export function asks(why: string): ToolForm {
  return { parameters: [], subject: () => ({ does: 'unknown', why }), anyParameter: true };
}

/** A tool that shows the content of a file. */
export function reads(path: string, ...others: readonly string[]): ToolForm {
  return {
    parameters: [path, ...others],
    subject: (input) => ({ does: 'read', path: parameter(input, path) }),
  };
}
