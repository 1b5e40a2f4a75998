/** An image made on the spot from this machine's busybox, which needs no C library: nothing is fetched. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { tar, type TarEntry } from './tar.ts';

const FOLDERS = ['bin', 'dev', 'etc', 'opt', 'proc', 'root', 'run', 'sys', 'usr', 'usr/bin', 'var', 'workspace'];
const BUSYBOX = ['/bin/busybox', '/usr/bin/busybox'];

/** Why there can be no image; undefined when there can. */
export function imageTrouble(): string | undefined {
  const found = BUSYBOX.find((path) => existsSync(path));
  if (found === undefined) return 'busybox is missing (apt-get install busybox-static)';
  const isStatic = !readFileSync(found).includes('/lib64/ld-linux');
  return isStatic ? undefined : 'busybox is not the static one (apt-get install busybox-static)';
}

export function busyboxImage(extra: readonly TarEntry[] = []): Buffer {
  const busybox = BUSYBOX.find((path) => existsSync(path)) ?? '';
  const applets = spawnSync(busybox, ['--list'], { encoding: 'utf8' }).stdout.split('\n');
  const text = (name: string, content: string): TarEntry => ({ name, kind: 'file', bytes: Buffer.from(content) });
  return tar([
    ...FOLDERS.map((name): TarEntry => ({ name: `${name}/`, kind: 'folder' })),
    { name: 'tmp/', kind: 'folder', mode: 0o1777 },
    { name: 'bin/busybox', kind: 'file', bytes: readFileSync(busybox), mode: 0o755 },
    ...applets
      .filter((name) => name !== '' && name !== 'busybox')
      .map((name): TarEntry => ({ name: `bin/${name}`, kind: 'link', to: 'busybox' })),
    text('etc/passwd', 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n'),
    text('etc/group', 'root:x:0:\nnogroup:x:65534:\n'),
    ...extra,
  ]);
}

/** Gives an archive to an engine as an image; `changes` are lines of a Dockerfile. */
export async function importImage(
  socketPath: string,
  name: string,
  archive: Buffer,
  changes: readonly string[] = [],
): Promise<void> {
  const query = new URLSearchParams([['fromSrc', '-'], ['repo', name], ...changes.map((each) => ['changes', each])]);
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const headers = { 'content-type': 'application/x-tar', 'content-length': `${archive.length}` };
    const path = `/v1.41/images/create?${query}`;
    const sent = request({ socketPath, path, method: 'POST', headers, agent: false, timeout: 60_000 }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end(archive);
  });
  if (status !== 200) throw new Error(`the image ${name} was not imported: ${status} ${text}`);
}
