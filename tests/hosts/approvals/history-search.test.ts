import { join } from 'node:path';
import { expect, it } from 'vitest';
import { searchHistory } from '../../../src/hosts/approvals/history-search.ts';
import { openApprovalStore } from '../../../src/hosts/approvals/store.ts';
import { makeFolder } from '../../support/folder.ts';
import { leaveQuestions } from './many-open.ts';

it('reads no more rows than the text of one part has room for, and two where one alone is too long', async () => {
  const read = async (chars: number, count: number): Promise<number> => {
    const folder = makeFolder();
    await leaveQuestions(folder, { main: count }, { NOTE: 'x'.repeat(chars) });
    const store = await openApprovalStore({ file: join(folder, 'gateway.db') });
    const rows = await searchHistory(store.database, 'approvals', [], undefined, 1_000);
    store.close();
    return rows.length;
  };
  expect([await read(1 << 20, 12), await read(7 << 20, 3), await read(10, 250)]).toEqual([6, 2, 250]);
});
