/**
 * Replaces the shims of the MCP package in the build, without its JSON Schema validator (300 KB): tools check their
 * parameters themselves, and answers of people are compared with the offered decisions.
 */
import process from 'node:process';
import type { JsonSchemaType, JsonSchemaValidator } from '@modelcontextprotocol/server';

export { process };

/** Accepts every value. */
export class DefaultJsonSchemaValidator {
  getValidator<T>(_schema: JsonSchemaType): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  }
}
