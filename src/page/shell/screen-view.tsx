import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { FaultNote } from '../components/callout.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import type { Screen } from '../screens/registry.ts';

interface FailedDrawing {
  readonly error?: unknown;
  /** Where it failed; another address is tried again. */
  readonly address?: string;
}

/** A failure of one screen leaves the navigation and the other screens usable. */
class ErrorBoundary extends Component<{ readonly children: ComponentChildren }, FailedDrawing> {
  static override getDerivedStateFromError(error: unknown): FailedDrawing {
    return { error, address: location.href };
  }

  override render() {
    const { error, address } = this.state;
    if (address !== location.href) return this.props.children;
    return (
      <div class="column">
        <FaultNote error={error} />
        <p class="note">This screen cannot be shown. Reload the page, or choose another screen.</p>
      </div>
    );
  }
}

type Loaded = { readonly screen: Screen; readonly view?: ComponentType; readonly error?: unknown };

/** Loads the code of a screen when it is first shown. */
export function ScreenView({ screen }: { readonly screen: Screen | undefined }) {
  const [loaded, setLoaded] = useState<Loaded | undefined>(undefined);
  useEffect(() => {
    screen?.load().then(
      (view) => setLoaded({ screen, view }),
      (error: unknown) => setLoaded({ screen, error }),
    );
  }, [screen]);
  if (screen === undefined)
    return (
      <EmptyState icon="search" title="No such screen">
        No screen has this address.
      </EmptyState>
    );
  if (loaded?.screen !== screen) return undefined;
  const View = loaded.view;
  return View === undefined ? (
    <FaultNote error={loaded.error} />
  ) : (
    <ErrorBoundary key={screen.folder}>
      <View />
    </ErrorBoundary>
  );
}
