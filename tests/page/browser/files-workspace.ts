/** A workspace with one file of each kind, for the tests of Files. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type PageGateway, startGateway } from './gateway.ts';

export const STAGING = [
  '# deployed by hand',
  'service: shop',
  'replicas: 2',
  'image:',
  '  repository: registry.example.com/shop',
  '  tag: "1.11"   # keep the quotes',
  'env:',
  '  - name: NODE_ENV',
  '    value: production',
  '  - name: LOG_LEVEL',
  '    value: info',
  'limits:',
  '  memory: 512Mi',
  '  cpu: "0.5"',
  '',
].join('\n');

const FILES = {
  'deploy/staging.yaml': STAGING,
  'deploy/migrate.js': 'export const up = () => 1;\n',
  'docs/guide.md': '---\ntitle: Guide\n---\n\n# Guide\n\n## Tools\n\n- gh: the command line of GitHub\n',
  'src/main.js': 'console.log("shop");\n',
  '.env': 'PORT=8080\nTOKEN=abcdef\n',
  '.git/config': '[core]\n',
  'package.json': '{\n  "name": "shop",\n  "version": "1.0.0"\n}\n',
  'pincer.jsonc': '{\n  "tools": {}\n}\n',
  'README.md': '# Shop\n',
};

export async function startWithFiles(more: Readonly<Record<string, string>> = {}): Promise<PageGateway> {
  const gateway = await startGateway();
  for (const [name, text] of Object.entries({ ...FILES, ...more })) writeFile(gateway, name, text);
  return gateway;
}

export function writeFile({ home }: PageGateway, name: string, text: string): void {
  const path = join(home.workspace, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

export function readBytes({ home }: PageGateway, name: string): Buffer {
  return readFileSync(join(home.workspace, name));
}
