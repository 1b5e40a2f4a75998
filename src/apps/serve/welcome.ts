/** The messages of `pincer serve` when it is ready. */
import type { Paint } from '../terminal/paint.ts';
import { postureLines } from '../terminal/posture-lines.ts';
import type { PostureReport } from '../posture.ts';
import { visibleLine } from '../terminal/visible.ts';
import { LINK_MINUTES } from '../../wire/page/login-terms.ts';
import { clientSettings, tokenVariable } from './settings.ts';

export interface Ready {
  /** The URL of MCP. */
  readonly url: string;
  readonly tokenFile: string;
  readonly pid: number;
  readonly workspace: string;
  readonly agent: string;
  readonly posture: PostureReport;
  /** The daemon process, if it is another one. */
  readonly gateway: { readonly pid: number } | 'own';
  /** Whether other machines can reach it. */
  readonly exposed: boolean;
  /** Where nodes connect; absent for `pincer serve`. */
  readonly nodes?: { readonly url: string };
  /** A login link for the control page; absent inside a session. */
  readonly page?: string;
}

/** 80 columns without the indentation. */
const WIDTH = 78;

/** For a person. */
export function welcomeText(ready: Ready, style: Paint): string {
  const { url, tokenFile, workspace, agent, gateway, exposed, nodes, page } = ready;
  const base = url.replace(/\/mcp$/u, '');
  const parts = [
    rows([
      ['pincer serves', style.address(url), ' (MCP, Streamable HTTP)'],
      ['plain HTTP', style.address(`${base}/v1/tools`), ' (described in /openapi.json)'],
      ...(nodes === undefined
        ? []
        : ([['nodes', style.address(nodes.url), ` (pair one: ${inviteCommand(nodes.url)})`]] as const)),
      ...(page === undefined
        ? []
        : ([
            ['control page', style.address(page), ''],
            ['', `(this link works once, for ${LINK_MINUTES} minutes; a new one: pincer page)`, ''],
          ] as const)),
      ['workspace', visibleLine(workspace), ` (agent ${visibleLine(agent)})`],
      ['token', visibleLine(tokenFile), ''],
    ]),
  ];
  parts.push(
    postureLines(ready.posture, style, WIDTH)
      .map((line) => `  ${line}\n`)
      .join(''),
  );
  if (gateway !== 'own')
    parts.push(
      `  Another daemon (pid ${gateway.pid}) has sessions, or sandbox changes that can be undone:\n  it runs the commands.\n`,
    );
  if (exposed)
    parts.push(
      style.bad('  Other machines can reach this server. Its traffic is not encrypted, and anyone who\n') +
        style.bad('  has the token runs commands as you: put TLS in front of it.\n'),
    );
  parts.push(`  Before you start a client:\n  export ${tokenVariable}="$(cat ${visibleLine(shellWord(tokenFile))})"\n`);
  for (const { title, file, text } of clientSettings(url))
    parts.push(`${style.quiet(`  ${title}: ${file}`)}\n${indented(text)}`);
  parts.push(
    `  pincer init <client> --http ${url} writes these.\n` +
      '  Without a server: pincer init <client>, and the client starts pincer mcp.\n' +
      '  To answer approval requests: the control page, or pincer approvals watch.\n' +
      '  Ctrl-C stops the server.\n',
  );
  return `\n${parts.join('\n')}\n`;
}

/** For a program: one line of JSON. */
export function welcomeLine({ url, tokenFile, pid, workspace, gateway, posture, nodes, page }: Ready): string {
  const more = {
    ...(page === undefined ? {} : { page }),
    ...(gateway === 'own' ? {} : { gatewayPid: gateway.pid }),
    ...(nodes === undefined ? {} : { nodes }),
  };
  return `${JSON.stringify({ url, tokenFile, pid, workspace, commands: posture.commands, ...more })}\n`;
}

function rows(all: readonly (readonly [string, string, string])[]): string {
  return all.map(([label, value, more]) => `  ${label.padEnd(15)}${value}${more}\n`).join('');
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}\n`)
    .join('');
}

function shellWord(text: string): string {
  return /^[\w./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Without TLS, nodes connect to a proxy, whose address the gateway does not know. */
function inviteCommand(url: string): string {
  return `pincer nodes invite${url.startsWith('ws:') ? ' --url wss://<proxy>' : ''}`;
}
