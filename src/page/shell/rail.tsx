import { Icon } from '../components/icon.tsx';
import { HostileText } from '../components/hostile-text.tsx';
import { type Screen, SCREENS } from '../screens/registry.ts';
import { server } from '../state/link.ts';

/** The screens as links, on wide windows. */
export function Rail({ current }: { readonly current: Screen | undefined }) {
  return (
    <nav class="rail" aria-label="Screens">
      <div class="brand">
        <Icon name="logo" />
        Pincer
      </div>
      {SCREENS.map((screen) => (
        <ScreenLink key={screen.folder} screen={screen} isCurrent={screen === current} />
      ))}
      <p class="rail-foot">
        {server.value === undefined ? '' : <HostileText text={`${server.value.machine} · ${server.value.version}`} />}
      </p>
    </nav>
  );
}

export function ScreenLink({ screen, isCurrent }: { readonly screen: Screen; readonly isCurrent: boolean }) {
  const { href, icon, name, count } = screen;
  const number = count?.value.value ?? 0;
  return (
    <a href={href} aria-current={isCurrent ? 'page' : undefined}>
      <Icon name={icon} />
      <span>{name}</span>
      {count === undefined || number === 0 ? undefined : (
        // Not a part of the name: a link is named exactly as its screen.
        <span class={`count${count.isUrgent ? ' urgent' : ''}`} title={`${number} ${count.unit}`} aria-hidden="true">
          {number}
        </span>
      )}
    </a>
  );
}
