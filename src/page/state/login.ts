/** A new login. The server puts it into the page that a one-time link opens; only this origin can read it. */
import { keepLogin } from './server.ts';

/** Takes the login out of the document, and the code out of the address, so that it is in no history and no copied link. */
export function takeLogin(): void {
  const [key, port] = ['key', 'port'].map((name) =>
    document.querySelector<HTMLMetaElement>(`meta[name="pincer-${name}"]`),
  );
  if (key == null || port == null) return;
  keepLogin(key.content, port.content);
  key.remove();
  port.remove();
  history.replaceState(null, '', '/');
}
