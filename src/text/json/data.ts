import { ExactNumber, JsonObject, type JsonValue } from './value.ts';

/** Converts plain data; values that came from a document keep their exact numbers. */
export function toJson(data: unknown): JsonValue {
  if (data === null || typeof data === 'string' || typeof data === 'number' || typeof data === 'boolean') return data;
  if (data instanceof ExactNumber || data instanceof JsonObject) return data;
  if (Array.isArray(data)) return data.map(toJson);
  const entries = Object.entries(data as object).filter(([, value]) => value !== undefined);
  return new JsonObject(entries.map(([key, value]) => [key, toJson(value)] as const));
}
