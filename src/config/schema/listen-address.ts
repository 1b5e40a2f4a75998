export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** `127.0.0.1:7463`, `gateway.example:7463` or `[::1]:7463`. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const [, ipv6, name, digits = ''] = /^(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/u.exec(text) ?? [];
  const host = ipv6 ?? name;
  const port = Number(digits);
  return host === undefined || port > 65_535 ? undefined : { host, port };
}

export function isListenAddress(text: string): boolean {
  return parseListenAddress(text) !== undefined;
}
