import { place } from '../../router.ts';
import { useSubtitle } from '../../state/header.ts';
import { server } from '../../state/link.ts';
import { CHANGES } from './address.ts';
import { ChangesView } from './changes-view.tsx';
import { Explore } from './explore.tsx';
import './files.css';

export default function FilesScreen() {
  useSubtitle(server.value?.workspace ?? '');
  return place.value.segments[1] === CHANGES ? <ChangesView /> : <Explore />;
}
