/** The shape of a tool. A tool is a value; `call.ts` is the only wrapper around it. */
import type { Files } from '../hosts/files/shape.ts';
import type { Media } from '../hosts/media.ts';
import type { Caller } from '../wire/exec.ts';
import { jsonSchema } from '../wire/json-schema.ts';
import type { Gateway } from '../wire/methods.ts';
import type { Members, ObjectSchema, Schema } from '../wire/schema.ts';
import type { SecretRules } from '../wire/tool.ts';
import type { ToolResult } from '../wire/tool.ts';

/** The part of JSON Schema that every model provider supports: no type arrays, no references. */
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

/** The names of a parameter, the canonical one first. */
export interface AliasGroup {
  readonly keys: readonly [string, ...string[]];
  /** Without it, the empty string counts as a missing parameter. */
  readonly allowEmpty?: true;
}

/** Remembers what an agent has read, to detect changes that it has not seen. */
export interface ReadMemory {
  /** What to do when a file has changed since this agent read it. */
  readonly onStale: 'advise' | 'refuse';
  /** Keeps a short content, so that a later change of it can be shown. */
  remember(path: string, contentHash: string, content?: Uint8Array): void;
  recall(path: string): string | undefined;
  /** Undefined when the content was too long, or is no longer kept. */
  recallContent?(contentHash: string): Uint8Array | undefined;
  /** The maximum size of a kept content in bytes. */
  readonly mostContent?: number;
}

export interface ToolContext {
  readonly files: Files;
  /** Loads the converters of images and documents; undefined where they are unavailable. */
  readonly media?: () => Promise<Media>;
  readonly signal?: AbortSignal;
  /** Receives partial results of a long call. */
  readonly onUpdate?: (partial: ToolResult) => void;
  /** Decides how much one read returns. */
  readonly modelContextWindowTokens?: number;
  /** Present when the staleness check is enabled. */
  readonly reads?: ReadMemory;
  /** Whether to show the values in files with secrets. */
  readonly showSecrets?: boolean;
  readonly secrets?: SecretRules;
  /** The person at the command line, who may undo the changes of all clients. */
  readonly operator?: true;
  /** May undo the changes of all agents whose names begin with this. */
  readonly agentPrefix?: string;
  /** Throws a fault where a call with these effects is not allowed. */
  readonly refuse?: (tool: string, effects: Tool['effects']) => void;
  /** Undefined where commands cannot run. */
  readonly running?: RunningContext;
}

/** The context of tools that run commands. */
export interface RunningContext {
  /** Connects at the first call. */
  gateway(): Promise<Gateway>;
  readonly caller: Caller;
  /** The environment of the calling process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Settings from that environment, which may only tighten. */
  readonly restrictions?: Readonly<Record<string, unknown>>;
  /** False when the operator denies the tool `process`; then every command runs to its end. */
  readonly processAllowed: boolean;
}

export interface Tool {
  readonly name: string;
  /** Aliases of the name. */
  readonly alsoCalled?: readonly string[];
  readonly description: string;
  readonly input: ObjectSchema;
  readonly aliases?: readonly AliasGroup[];
  readonly effects: 'reads' | 'writes' | 'runs';
  /** The effects of a call with this checked input, where some inputs have fewer than `effects`. */
  effectsOf?(input: Readonly<Record<string, unknown>>): Tool['effects'];
  /** Converts other forms that models send, before names and types are checked. */
  prepare?(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** Receives checked input with canonical names. */
  run(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
}

/** Gives the input of `run` the type of the schema. */
/* @__NO_SIDE_EFFECTS__ */
export function defineTool<R extends Members, O extends Members, I>(
  tool: Omit<Tool, 'input' | 'run' | 'effectsOf'> & {
    readonly input: ObjectSchema<R, O> & Schema<I>;
    effectsOf?(input: I): Tool['effects'];
    run(input: I, context: ToolContext): Promise<ToolResult>;
  },
): Tool {
  return tool as unknown as Tool;
}

/** The input schema that model providers receive. */
export function inputSchema({ input }: Tool): ToolSchema {
  return jsonSchema(input) as unknown as ToolSchema;
}

export function textResult(text: string, details: Readonly<Record<string, unknown>>): ToolResult {
  return { content: [{ type: 'text', text }], details };
}
