/** A plugin of OpenClaw that gives its agents Pincer's tools, each under a name that none of OpenClaw's own has. */
import { createTools } from 'pincer/tools';

const PREFIX = 'pincer_';
const NAMES = ['read', 'write', 'edit', 'apply_patch', 'exec', 'process', 'path'].map((name) => PREFIX + name);

export default {
  id: 'pincer',
  name: 'Pincer',
  description: "Reads, changes and runs things in the workspace, under Pincer's policy.",

  register(api) {
    const { workspace, host, applyPatch = false } = api.pluginConfig ?? {};
    // A factory, because every agent has a workspace of its own.
    api.registerTool((context) => toolsOf(context, { workspace, host, applyPatch }), { names: NAMES });
  },
};

function toolsOf({ workspaceDir, agentId, sessionKey, sandboxed }, { workspace = workspaceDir, host, applyPatch }) {
  // An agent in a sandbox is not to reach the files of the machine around it.
  if (sandboxed || workspace === undefined) return null;
  const tools = createTools({
    workspace,
    client: 'openclaw',
    ...(agentId === undefined ? {} : { agent: agentId }),
    ...(sessionKey === undefined ? {} : { conversation: sessionKey }),
    ...(host === undefined ? {} : { host }),
    // Whoever configures the plugin asks for this one tool; OpenClaw does not say which model calls.
    applyPatch: { enabled: applyPatch, byName: true },
  });
  return tools.map((tool) => ({ ...tool, name: PREFIX + tool.name, label: `Pincer ${tool.label}` }));
}
