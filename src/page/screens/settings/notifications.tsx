import { Callout } from '../../components/callout.tsx';
import { Snippet } from '../../components/copy.tsx';
import { CheckField } from '../../components/fields.tsx';
import { notifications, setNotifications } from '../../state/notifications.ts';

/** The browser shows how many requests wait, never a command. */
export function Notifications() {
  const state = notifications.value;
  return (
    <section class="card">
      <header>
        <h2>Notifications</h2>
      </header>
      <div class="card-body">
        {state === 'unsupported' ? (
          <Callout tone="plain" icon="off">
            This browser does not allow notifications for this page. It may need HTTPS, or an address of this machine.
          </Callout>
        ) : state === 'blocked' ? (
          <Callout tone="plain" icon="off">
            You have blocked notifications of this page in the settings of the browser.
          </Callout>
        ) : (
          <CheckField
            label="Notify me when a request waits, while this page is open. It says how many, never which command."
            checked={state === 'on'}
            onChange={(checked) => void setNotifications(checked)}
          />
        )}
        <p class="note">While no page is open, run your own command for new requests:</p>
        <Snippet text="pincer approvals watch --notify 'notify-send Pincer'" />
      </div>
    </section>
  );
}
