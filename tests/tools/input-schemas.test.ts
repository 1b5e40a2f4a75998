import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CATALOGUE } from '../../src/apps/catalogue.ts';
import { inputSchema } from '../../src/tools/tool.ts';

const GOLDEN = new URL('./input-schemas.jsonl', import.meta.url);

it('sends providers exactly these input schemas', async () => {
  const tools = await Promise.all(CATALOGUE.map(({ load }) => load()));
  const lines = tools.map((tool) => JSON.stringify({ name: tool.name, inputSchema: inputSchema(tool) }));
  expect(`${lines.join('\n')}\n`).toBe(readFileSync(GOLDEN, 'utf8'));
});
