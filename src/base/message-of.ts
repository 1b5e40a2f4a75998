/** What an error says; whatever else was thrown is shown as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
