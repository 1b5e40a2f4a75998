import { Button } from '../components/button.tsx';
import { problemOf } from '../components/callout.tsx';
import { HostileText } from '../components/hostile-text.tsx';
import { Icon } from '../components/icon.tsx';
import { serverNow } from '../state/clock.ts';
import { link, loadProblem, login } from '../state/link.ts';
import { tryNow } from '../state/server.ts';
import { wholeSentence } from '../text/sentences.ts';
import { clockText } from '../text/times.ts';

const LABEL = 'State of the page';

/** Says what limits the page: the link is lost, the page is outdated, or the person is a viewer. */
export function Banner() {
  const state = link.value;
  if (state.kind === 'lost') return <LostBanner nextTryAt={state.nextTryAt} dataAt={state.dataAt} />;
  if (state.kind === 'outdated')
    return (
      <section class="banner" aria-label={LABEL}>
        <Icon name="warn" />
        <span role="alert">
          <b>This page and the gateway are of different versions.</b> <HostileText text={state.problem} />
        </span>
        <Button onPress={() => location.reload()}>Reload</Button>
      </section>
    );
  if (login.value?.role === 'viewer')
    return (
      <section class="banner calm" aria-label={LABEL}>
        <Icon name="lock" />
        <span>You are logged in as a viewer: you see everything, and change and answer nothing.</span>
      </section>
    );
  return undefined;
}

/** The lists of all screens are loaded together, so that their failure is shown once, on every screen. */
export function LoadProblem() {
  const error = loadProblem.value;
  if (error === undefined) return undefined;
  const { message, hint } = problemOf(error);
  return (
    <section class="banner" aria-label="Lists that were not loaded">
      <Icon name="warn" />
      <span role="alert">
        <b>A list could not be loaded, so what you see may be old.</b> <HostileText text={wholeSentence(message)} />{' '}
        {hint === undefined ? '' : <HostileText text={wholeSentence(hint)} />}
      </span>
      <Button onPress={() => location.reload()}>Reload</Button>
    </section>
  );
}

function LostBanner({ nextTryAt, dataAt }: { readonly nextTryAt: number; readonly dataAt: number | undefined }) {
  serverNow(); // drawn again every second
  const seconds = Math.max(0, Math.ceil((nextTryAt - Date.now()) / 1000));
  return (
    <section class="banner" aria-label={LABEL}>
      <Icon name="warn" />
      <span role="alert">
        <b>The link to the gateway is lost.</b>
        {dataAt === undefined ? '' : ` What you see is from ${clockText(dataAt, Date.now())}.`} Answers are switched
        off.
      </span>
      <span class="numbers">{seconds === 0 ? 'Trying now.' : `Next try in ${seconds} s.`}</span>
      <Button onPress={tryNow}>Try now</Button>
    </section>
  );
}
