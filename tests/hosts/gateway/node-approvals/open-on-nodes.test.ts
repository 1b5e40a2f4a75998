import { expect, it } from 'vitest';
import { MOST_OPEN_ON_NODE, OpenOnNodes } from '../../../../src/hosts/gateway/node-approvals/open-on-nodes.ts';
import { link } from '../../nodes/sample.ts';

it('knows what a node has listed and reported, as long as its link lasts', async () => {
  const [open, first] = [new OpenOnNodes(), link()];
  open.reported('n', { id: 'early', state: 'pending' });
  expect(open.has('n', 'early')).toBeUndefined();
  open.listed('n', first, ['a']);
  open.reported('n', { id: 'b', state: 'pending' });
  open.reported('n', { id: 'a', state: 'denied' });
  expect(['a', 'b', 'c'].map((id) => open.has('n', id))).toEqual([false, true, false]);
  first.close('cut');
  await first.down;
  expect(open.has('n', 'b')).toBeUndefined();
});

it('keeps a limited number of ids, however many a node reports', () => {
  const open = new OpenOnNodes();
  open.listed('n', link(), []);
  const ids = Array.from({ length: 2 * MOST_OPEN_ON_NODE }, (_, i) => String(i));
  for (const id of ids) open.reported('n', { id, state: 'pending' });
  expect(ids.filter((id) => open.has('n', id)).length).toBe(MOST_OPEN_ON_NODE);
  open.reported('n', { id: '0', state: 'denied' });
  open.reported('n', { id: 'new', state: 'pending' });
  expect(open.has('n', 'new')).toBe(true);
});
