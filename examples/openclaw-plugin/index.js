/** An OpenClaw plugin with Pincer's tools, under names that do not collide with OpenClaw's own. */
import { createTools } from 'pincer/tools';

const PREFIX = 'pincer_';
const NAMES = ['read', 'write', 'edit', 'apply_patch', 'exec', 'process', 'path'].map((name) => PREFIX + name);

export default {
  id: 'pincer',
  name: 'Pincer',
  description: "Reads, changes and runs things in the workspace, under Pincer's policy.",

  register(api) {
    const { workspace, host, applyPatch = false } = api.pluginConfig ?? {};
    // A factory, because every agent has its own workspace.
    api.registerTool((context) => toolsOf(context, { workspace, host, applyPatch }), { names: NAMES });
  },
};

function toolsOf({ workspaceDir, agentId, sessionKey, sandboxed }, { workspace = workspaceDir, host, applyPatch }) {
  // An agent in a sandbox must not access the files of the host.
  if (sandboxed || workspace === undefined) return null;
  const tools = createTools({
    workspace,
    client: 'openclaw',
    ...(agentId === undefined ? {} : { agent: agentId }),
    ...(sessionKey === undefined ? {} : { conversation: sessionKey }),
    ...(host === undefined ? {} : { host }),
    // The operator enables this tool by name; OpenClaw does not report the calling model.
    applyPatch: { enabled: applyPatch, byName: true },
  });
  return tools.map((tool) => ({ ...tool, name: PREFIX + tool.name, label: `Pincer ${tool.label}` }));
}
