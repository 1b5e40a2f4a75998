import type { Ref } from 'preact';
import { Button } from '../components/button.tsx';
import { HostileText } from '../components/hostile-text.tsx';
import { type Theme, theme } from '../preferences.ts';
import { subtitle } from '../state/header.ts';
import { link } from '../state/link.ts';

interface HeaderProps {
  readonly name: string;
  readonly heading: Ref<HTMLHeadingElement>;
  readonly onFind: () => void;
  readonly onKeys: () => void;
}

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const IS_APPLE = /Mac|iPhone|iPad/u.test(globalThis.navigator?.platform ?? '');

export function Header({ name, heading, onFind, onKeys }: HeaderProps) {
  return (
    <header class="header">
      <h1 ref={heading} tabIndex={-1}>
        {name}
      </h1>
      <span class="subtitle">
        <HostileText text={subtitle.value} />
      </span>
      <div class="header-end">
        <LinkState />
        <Button class="wide" icon="search" onPress={onFind}>
          Find
          <kbd aria-hidden="true">{IS_APPLE ? '⌘K' : 'Ctrl K'}</kbd>
        </Button>
        <Button kind="quiet" class="wide" label="Keys" onPress={onKeys}>
          <kbd aria-hidden="true">?</kbd>
        </Button>
        <Button
          kind="quiet"
          icon="theme"
          label={`Theme: ${theme.value}`}
          onPress={() => {
            theme.value = NEXT[theme.value];
          }}
        />
      </div>
    </header>
  );
}

const STATES = {
  live: 'Live',
  connecting: 'Connecting',
  lost: 'No link',
  outdated: 'Reload',
  'logged-out': 'Logged out',
};

function LinkState() {
  const { kind } = link.value;
  return (
    <span class={`link-state ${kind}`}>
      <i aria-hidden="true" />
      {STATES[kind]}
    </span>
  );
}
