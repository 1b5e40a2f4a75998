import { Segments } from '../../components/segments.tsx';
import { place } from '../../router.ts';
import { waitingCount } from '../../state/approvals.ts';

export const HISTORY = 'history';

/** Waiting, or history. */
export function Views() {
  const isHistory = place.value.segments[1] === HISTORY;
  return (
    <Segments
      label="Views of Approvals"
      items={[
        {
          href: '/',
          current: !isHistory,
          content: (
            <>
              Waiting <b>{waitingCount.value}</b>
            </>
          ),
        },
        { href: '/approvals/history', current: isHistory, content: 'History' },
      ]}
    />
  );
}
