/** What a tool call of a client is about to do, as far as a rule of ours is about it, and how to read it from the call. */
import type { ClientName } from '../init/clients.ts';
import { isMembers, type Members, notAnEvent, textMember } from './event.ts';

/** A replacement in a file, as the client's tool makes it. */
export interface Replacement {
  readonly old: string;
  readonly next: string;
  readonly all: boolean;
}

/** The new content of a file: whole, or by replacements one after the other. */
export type NewContent = { readonly whole: string } | { readonly replacements: readonly Replacement[] };

export type Subject =
  | {
      readonly does: 'run';
      readonly command: string;
      /** Counts from the folder of the event. */
      readonly workdir: string;
      /** Also where the client does not say whether there is a terminal. */
      readonly pty: boolean;
      /** Why it asks where its command alone is allowed. */
      readonly asks?: string;
    }
  | { readonly does: 'write'; readonly paths: readonly string[]; readonly content?: NewContent }
  | { readonly does: 'read'; readonly path: string }
  /** The tool `exec` of a server, which may be Pincer's. `joint` separates the parts of names in this client. */
  | {
      readonly does: 'exec';
      readonly client: ClientName;
      readonly server: string;
      readonly joint: string;
      readonly input: unknown;
    }
  /** Nothing that a rule is about. */
  | { readonly does: 'nothing' }
  /** Something that cannot be judged. */
  | { readonly does: 'unknown'; readonly why: string };

/** How the calls of one tool are read; a parameter that is not listed may do anything. */
export interface ToolForm {
  readonly parameters: readonly string[];
  subject(input: Members): Subject;
  /** Where the subject does not depend on them. */
  readonly anyParameter?: true;
}

export type ToolForms = Readonly<Record<string, ToolForm | 'nothing'>>;

const NOTHING: Subject = { does: 'nothing' };

/** The subject of a call. */
export function subjectOf(forms: ToolForms, tool: string, input: unknown): Subject {
  const form = Object.hasOwn(forms, tool) ? forms[tool] : undefined;
  if (form === 'nothing') return NOTHING;
  if (form === undefined) return { does: 'unknown', why: `the tool ${shortName(tool)} is not known` };
  if (!isMembers(input)) throw notAnEvent('tool_input is not an object');
  const other = form.anyParameter ? undefined : Object.keys(input).find((name) => !form.parameters.includes(name));
  return other === undefined
    ? form.subject(input)
    : { does: 'unknown', why: `the parameter ${shortName(other)} of the tool ${tool} is not known` };
}

const LONGEST_NAME = 100;

/** A name of any length, for a sentence. */
function shortName(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}…`;
}

/** Tools without a rule about them. */
export function doNothing(names: string): ToolForms {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/u)
      .map((name) => [name, 'nothing' as const]),
  );
}

/** A tool without a rule about it as long as it has no other parameters than these. */
export function doesNothing(parameters: string): ToolForm {
  return { parameters: parameters.split(' '), subject: () => NOTHING };
}

/** A text of a tool's parameters. */
export function parameter(input: Members, name: string): string {
  return textMember(input, name, `tool_input.${name}`);
}

/** A tool that runs a command. */
interface RunForm {
  /** The parameter that names its folder. */
  readonly workdir?: string;
  /** Parameters that do not matter. */
  readonly others?: readonly string[];
  readonly pty?: boolean;
  /** Parameters that ask where they are more than `false`, and why. */
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

/** A tool that gives a file its whole content. */
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

/** A tool that replaces a text in a file; `all` is the parameter that asks for every occurrence. */
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

/** One replacement by its members. */
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
