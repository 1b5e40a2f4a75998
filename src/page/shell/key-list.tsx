import { Fragment } from 'preact';
import { Dialog } from '../components/dialog.tsx';
import { CheckField } from '../components/fields.tsx';
import { singleKeys } from '../preferences.ts';
import { SCREENS } from '../screens/registry.ts';

const KEYS: readonly (readonly [string, string])[] = [
  ['a', 'Allow once'],
  ['A', 'Allow always'],
  ['d', 'Deny; then Enter denies, and Shift+Enter begins a new line'],
  ['e', 'Explain in Policy'],
  ['j  k', 'Next, previous; the arrow keys do the same'],
  ['Enter', 'Open'],
  ['/', 'The search field of this screen'],
  ['Ctrl K', 'Find a screen or an item'],
  ['Space', 'Play or pause a recording'],
  ['Ctrl Shift Esc', 'Stop typing into the terminal'],
  ['Ctrl Shift X', 'The same, where the system takes the key'],
  ['?', 'This list'],
];

export function KeyList({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="key-list">
        {KEYS.map(([key, what]) => (
          <Fragment key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </Fragment>
        ))}
        {SCREENS.map(({ key, name }) => (
          <Fragment key={name}>
            <dt>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>Go to {name}</dd>
          </Fragment>
        ))}
      </dl>
      <CheckField
        label="Single-key shortcuts"
        checked={singleKeys.value}
        onChange={(checked) => {
          singleKeys.value = checked;
        }}
      />
    </Dialog>
  );
}
