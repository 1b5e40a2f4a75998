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
  /** `workdir` counts from the folder of the event; `pty` also where the client does not say whether there is a terminal. */
  | { readonly does: 'run'; readonly command: string; readonly workdir: string; readonly pty: boolean }
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
  if (form === undefined) return { does: 'unknown', why: `the tool ${tool} is not known` };
  if (!isMembers(input)) throw notAnEvent('tool_input is not an object');
  const other = form.anyParameter ? undefined : Object.keys(input).find((name) => !form.parameters.includes(name));
  return other === undefined
    ? form.subject(input)
    : { does: 'unknown', why: `the parameter ${other} of the tool ${tool} is not known` };
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

/** A text of a tool's parameters. */
export function parameter(input: Members, name: string): string {
  return textMember(input, name, `tool_input.${name}`);
}

/** A tool that runs a command; `workdir` is the parameter that names its folder. */
export function runs(workdir: string | undefined, ...others: readonly string[]): ToolForm {
  const folder = workdir === undefined ? [] : [workdir];
  return {
    parameters: ['command', ...folder, ...others],
    subject: (input) => {
      const given = workdir === undefined || input[workdir] === undefined ? '.' : parameter(input, workdir);
      return { does: 'run', command: parameter(input, 'command'), workdir: given, pty: false };
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
