import { Segments } from '../../components/segments.tsx';
import { place } from '../../router.ts';
import { CHANGES } from './address.ts';
import { changes, MOST_CHANGES } from './changes-state.ts';

/** The files, or the record of their changes. */
export function Views() {
  const isChanges = place.value.segments[1] === CHANGES;
  const count = changes.value?.length;
  return (
    <Segments
      label="Views of Files"
      items={[
        { href: '/files', current: !isChanges, content: 'Explore' },
        {
          href: `/files/${CHANGES}`,
          current: isChanges,
          content: (
            <>Changes {count === undefined ? undefined : <b>{count === MOST_CHANGES ? `${count}+` : count}</b>}</>
          ),
        },
      ]}
    />
  );
}
