import { useEffect, useRef, useState } from 'preact/hooks';
import { focusSearch } from '../components/fields.tsx';
import { Toasts } from '../components/toasts.tsx';
import { useKeys } from '../keys.ts';
import { navigate, place } from '../router.ts';
import { screenAt, SCREENS } from '../screens/registry.ts';
import { waitingCount } from '../state/approvals.ts';
import { link } from '../state/link.ts';
import { waitingText } from '../state/notifications.ts';
import { Banner, LoadProblem } from './banner.tsx';
import { BottomBar } from './bottom-bar.tsx';
import { Find } from './find.tsx';
import { Header } from './header.tsx';
import { KeyList } from './key-list.tsx';
import { LoginNeeded } from './login-needed.tsx';
import { Rail } from './rail.tsx';
import { ScreenView } from './screen-view.tsx';

export function App() {
  const state = link.value;
  return state.kind === 'logged-out' ? <LoginNeeded reason={state.reason} /> : <Page />;
}

function Page() {
  const [open, setOpen] = useState<'find' | 'keys' | undefined>(undefined);
  /** A dialog that closes must not close the one that was opened after it. */
  const closed = (which: 'find' | 'keys'): void => setOpen((now) => (now === which ? undefined : now));
  const heading = useRef<HTMLHeadingElement>(null);
  const screen = screenAt(place.value.segments);
  const name = screen?.name ?? 'Not found';
  const waiting = waitingCount.value;
  useEffect(() => {
    document.title = `${waiting === 0 ? '' : `(${waiting}) `}${name} · Pincer`;
  }, [waiting, name]);
  useFocusOnChange(name, heading);
  useFindKey(() => setOpen('find'));
  useKeys({
    '?': () => setOpen('keys'),
    '/': focusSearch,
    ...Object.fromEntries(SCREENS.map(({ key, href }) => [`g ${key}`, () => navigate(href)])),
  });
  return (
    <div class="page">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Rail current={screen} />
      <div class="main">
        <Header name={name} heading={heading} onFind={() => setOpen('find')} onKeys={() => setOpen('keys')} />
        <div>
          <Banner />
          <LoadProblem />
        </div>
        <main id="main" tabIndex={-1}>
          <ScreenView screen={screen} />
        </main>
      </div>
      <BottomBar current={screen} />
      <WaitingCount count={waiting} />
      <Toasts />
      {open === 'find' ? <Find onClose={() => closed('find')} /> : undefined}
      {open === 'keys' ? <KeyList onClose={() => closed('keys')} /> : undefined}
    </div>
  );
}

/** Screen readers announce the number of requests when it changes, and never a command. */
function WaitingCount({ count }: { readonly count: number }) {
  return (
    <p class="unseen" aria-live="polite">
      {count === 0 ? 'Nothing waits for an answer' : waitingText(count)}
    </p>
  );
}

/** After a change of the screen, reading goes on at its name. */
function useFocusOnChange(name: string, heading: { readonly current: HTMLElement | null }): void {
  const before = useRef(name);
  useEffect(() => {
    if (before.current !== name) heading.current?.focus({ preventScroll: true });
    before.current = name;
  }, [name]);
}

function useFindKey(open: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isFind = event.key === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      const isTerminal = (event.target as Element | null)?.closest('[data-keys="own"]');
      if (!isFind || isTerminal || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      open();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}
