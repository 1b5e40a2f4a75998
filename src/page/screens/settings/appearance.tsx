import { CheckField, RadioField } from '../../components/fields.tsx';
import { singleKeys, THEMES, theme } from '../../preferences.ts';

const THEME_TEXTS = { system: 'As the system', light: 'Light', dark: 'Dark' } as const;

/** What this browser remembers. */
export function Appearance() {
  return (
    <section class="card">
      <header>
        <h2>This browser</h2>
      </header>
      <div class="card-body">
        <RadioField
          label="Theme"
          value={theme.value}
          options={THEMES.map((value) => ({ value, text: THEME_TEXTS[value] }))}
          onChange={(value) => {
            theme.value = value;
          }}
        />
        <CheckField
          label="Single-key shortcuts, such as a, A and d, act on what is shown"
          checked={singleKeys.value}
          onChange={(checked) => {
            singleKeys.value = checked;
          }}
        />
      </div>
    </section>
  );
}
