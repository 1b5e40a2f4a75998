/** Starts the page: login, connection, and the first screen. */
import { render } from 'preact';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts/controls.css';
import './styles/parts/content.css';
import './styles/parts/overlays.css';
import './styles/parts/layout.css';
import './styles/parts/media.css';
import { drawOncePerFrame } from './frames.ts';
import { followKeys } from './keys.ts';
import { hasStorage, keepPreferences } from './preferences.ts';
import { followHistory, place } from './router.ts';
import { screenAt } from './screens/registry.ts';
import { App } from './shell/app.tsx';
import { LoginNeeded } from './shell/login-needed.tsx';
import { startClock } from './state/clock.ts';
import { takeLogin } from './state/login.ts';
import { startNotifications } from './state/notifications.ts';
import { hasLogin, startConnection } from './state/server.ts';

/** Without a secure context, browsers have no cryptography that proves a login. */
const NOT_SECURE =
  'This page works over https, and at http://127.0.0.1 and http://localhost. Put a proxy with TLS in front of the gateway, ' +
  'or forward its port: ssh -L 7462:127.0.0.1:7462.';
const NO_STORAGE =
  'This browser is not logged in. It stores nothing for this page, so a login ends when the page is reloaded or closed.';

function whyLoggedOut(): string | undefined {
  if (!isSecureContext) return NOT_SECURE;
  return hasStorage() ? undefined : NO_STORAGE;
}

function start(root: HTMLElement): void {
  drawOncePerFrame();
  keepPreferences();
  takeLogin();
  followHistory();
  if (!hasLogin() || !isSecureContext) {
    render(<LoginNeeded reason={whyLoggedOut()} />, root);
    return;
  }
  void screenAt(place.value.segments)?.load(); // together with the connection, not after it
  startClock();
  startNotifications();
  startConnection();
  followKeys();
  render(<App />, root);
}

start(document.querySelector<HTMLElement>('#app')!);
