/** The same call for a terminal and for an MCP client. */

/** Quoted for a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** `pincer call read '{"path":"README.md"}'` */
export function commandLine(tool: string, args: unknown): string {
  return `pincer call ${tool} ${shellQuoted(JSON.stringify(args))}`;
}

export function mcpRequest(tool: string, args: unknown): string {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } };
  return JSON.stringify(request, null, 2);
}
