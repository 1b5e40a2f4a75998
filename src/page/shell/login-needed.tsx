import { HostileText } from '../components/hostile-text.tsx';
import { Icon } from '../components/icon.tsx';
import { Snippet } from '../components/copy.tsx';

/** What a browser without a login shows. `reason`: why a login ended or a link did not work. */
export function LoginNeeded({ reason }: { readonly reason?: string | undefined }) {
  return (
    <main class="login-needed" id="main">
      <div class="brand">
        <Icon name="logo" />
        Pincer
      </div>
      <h1>Log in</h1>
      {reason === undefined ? (
        <p>This browser is not logged in.</p>
      ) : (
        <p role="alert">
          <HostileText text={reason} />
        </p>
      )}
      <p>Run this on the machine of the gateway. It opens this page with a link that works once.</p>
      <Snippet text="pincer page" />
    </main>
  );
}
