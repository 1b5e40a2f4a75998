import { useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { type Screen, SCREENS } from '../screens/registry.ts';
import { ScreenLink } from './rail.tsx';

/** With the button for the others, as many as fit into 320 px. */
const IN_BAR = 4;

/** The screens on a phone: the first ones as links, the others in a dialog. */
export function BottomBar({ current }: { readonly current: Screen | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const others = SCREENS.slice(IN_BAR);
  return (
    <nav class="bottom-bar" aria-label="Screens">
      {SCREENS.slice(0, IN_BAR).map((screen) => (
        <ScreenLink key={screen.folder} screen={screen} isCurrent={screen === current} />
      ))}
      {others.length === 0 ? undefined : (
        <button type="button" class={others.includes(current!) ? 'current' : undefined} onClick={() => setOpen(true)}>
          <Icon name="more" />
          <span>More</span>
        </button>
      )}
      {isOpen ? (
        <Dialog title="More screens" onClose={() => setOpen(false)}>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the links inside take the keys */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: it closes the dialog after a link was followed */}
          <div class="more-screens" onClick={() => setOpen(false)}>
            {others.map((screen) => (
              <ScreenLink key={screen.folder} screen={screen} isCurrent={screen === current} />
            ))}
          </div>
        </Dialog>
      ) : undefined}
    </nav>
  );
}
