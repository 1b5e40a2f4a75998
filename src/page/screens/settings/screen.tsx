import { useSubtitle } from '../../state/header.ts';
import { server } from '../../state/link.ts';
import { Appearance } from './appearance.tsx';
import { EffectiveSettings } from './effective-settings.tsx';
import { Logins } from './logins.tsx';
import { Notifications } from './notifications.tsx';

export default function SettingsScreen() {
  const info = server.value;
  useSubtitle(info === undefined ? '' : `Pincer ${info.version} on ${info.machine}`);
  return (
    <div class="column">
      <Logins />
      <Appearance />
      <Notifications />
      <EffectiveSettings />
    </div>
  );
}
