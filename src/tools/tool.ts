/** The shape of what an agent may call. A tool is a value; `call.ts` is the only wrapper around it. */
import type { Files } from '../hosts/files/shape.ts';
import type { Media } from '../hosts/media.ts';
import type { Caller } from '../wire/exec.ts';
import { jsonSchema } from '../wire/json-schema.ts';
import type { Gateway } from '../wire/methods.ts';
import type { Members, ObjectSchema, Schema } from '../wire/schema.ts';
import type { SecretRules } from '../wire/secret-rules.ts';
import type { ToolResult } from '../wire/tool.ts';

/** The part of JSON Schema that every model provider understands: no type arrays, no references. */
export interface PropertySchema {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly items?: PropertySchema;
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
}

export interface ToolSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, PropertySchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

/** Other names of a parameter, in the order in which they are asked; the first is the canonical one. */
export interface AliasGroup {
  readonly keys: readonly [string, ...string[]];
  /** The empty string is a value of its own, and not a parameter left out. */
  readonly allowEmpty?: true;
}

/** What an agent has read, so that a change of what it never saw can be noticed. */
export interface ReadMemory {
  /** What to do when a file is not as this agent last read it. */
  readonly onStale: 'advise' | 'refuse';
  /** The content is kept where it is given and short enough, so that a later change of it can be shown. */
  remember(path: string, contentHash: string, content?: Uint8Array): void;
  recall(path: string): string | undefined;
  /** The content of this hash; undefined when it was not kept, or not long enough. */
  recallContent?(contentHash: string): Uint8Array | undefined;
  /** Longer contents are not kept, in bytes. */
  readonly mostContent?: number;
}

export interface ToolContext {
  readonly files: Files;
  /** Loads what turns images and documents into content; undefined where there is no such thing. */
  readonly media?: () => Promise<Media>;
  readonly signal?: AbortSignal;
  /** Hears what there is so far of an answer that takes its time, in the shape of the answer. */
  readonly onUpdate?: (partial: ToolResult) => void;
  /** How many tokens the model can hold; decides how much one read gives. */
  readonly modelContextWindowTokens?: number;
  /** Present when the operator asked for the staleness check. */
  readonly reads?: ReadMemory;
  /** Whether the values of files with secrets are shown. */
  readonly showSecrets?: boolean;
  /** What the operator adds to the table of files with secrets. */
  readonly secrets?: SecretRules;
  /** The person at the command line calls, who may take back what others did. */
  readonly operator?: true;
  /** What running commands needs; undefined where none can be run. */
  readonly running?: RunningContext;
}

/** What a tool that runs commands knows beside its parameters. */
export interface RunningContext {
  /** Connects at the first call. */
  gateway(): Promise<Gateway>;
  readonly caller: Caller;
  /** The environment of the process that asks. */
  readonly environment: Readonly<Record<string, string>>;
  /** Settings for commands that the process was started with; they may only tighten. */
  readonly restrictions?: Readonly<Record<string, unknown>>;
  /** False when the operator denies the tool `process`: then commands run to their end. */
  readonly processAllowed: boolean;
}

export interface Tool {
  readonly name: string;
  /** Names that it also answers to. */
  readonly alsoCalled?: readonly string[];
  readonly description: string;
  readonly input: ObjectSchema;
  readonly aliases?: readonly AliasGroup[];
  readonly effects: 'reads' | 'writes' | 'runs';
  /** Repairs what models send in another form, before names and types are looked at. */
  prepare?(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** Gets its input with canonical names, checked against the schema. Throws a Fault where it cannot do its work. */
  run(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
}

/** A tool whose `run` gets its input with the type of the schema. */
/* @__NO_SIDE_EFFECTS__ */
export function defineTool<R extends Members, O extends Members, I>(
  tool: Omit<Tool, 'input' | 'run'> & {
    readonly input: ObjectSchema<R, O> & Schema<I>;
    run(input: I, context: ToolContext): Promise<ToolResult>;
  },
): Tool {
  return tool as unknown as Tool;
}

/** The input of a tool as providers see it. */
export function inputSchema({ input }: Tool): ToolSchema {
  return jsonSchema(input) as unknown as ToolSchema;
}

/** An answer of one text. */
export function textResult(text: string, details: Readonly<Record<string, unknown>>): ToolResult {
  return { content: [{ type: 'text', text }], details };
}
