/** A certificate authority for one test, and servers with its certificates. Needs the program openssl. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { makeFolder } from './folder.ts';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

export interface Authority {
  /** For NODE_EXTRA_CA_CERTS. */
  readonly file: string;
  /** A certificate for this host name, and its key. */
  issue(host: string): { readonly cert: string; readonly key: string };
}

export function authority(): Authority {
  const folder = makeFolder();
  const at = (name: string): string => join(folder, name);
  const openssl = (...args: readonly string[]): void => void execFileSync('openssl', args, { stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...newKey, '-days', '2', '-subj', '/CN=test', '-keyout', at('ca.key'), '-out', at('ca.pem'));
  return {
    file: at('ca.pem'),
    issue(host) {
      const [key, request, cert, extensions] = ['key', 'csr', 'pem', 'ext'].map((end) => at(`${host}.${end}`)) as [
        string,
        string,
        string,
        string,
      ];
      writeFileSync(extensions, `subjectAltName=DNS:${host}\n`);
      openssl('req', '-new', ...newKey, '-subj', `/CN=${host}`, '-keyout', key, '-out', request);
      const signing = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '2'];
      openssl('x509', '-req', '-in', request, ...signing, '-extfile', extensions, '-out', cert);
      return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
    },
  };
}

/** A reverse proxy on loopback that terminates TLS, and passes plain bytes on to a port. Resolves to its port. */
export async function tlsProxyTo(port: number, tls: { readonly cert: string; readonly key: string }): Promise<number> {
  const open = new Set<TLSSocket>();
  const server = createServer({ ...tls, minVersion: 'TLSv1.3' }, (near) => {
    const far = connect(port, '127.0.0.1');
    open.add(near);
    near
      .on('error', () => {})
      .on('close', () => {
        open.delete(near);
        far.destroy();
      });
    far.on('error', () => {}).on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  server.on('tlsClientError', () => {}); // a client that refuses the certificate
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}
