/** Who works here, when the command line does not say: `PINCER_AGENT`, else `main`. */
export function agentName(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return env['PINCER_AGENT'] || 'main';
}
