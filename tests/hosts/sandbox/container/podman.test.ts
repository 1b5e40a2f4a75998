import { onStage } from './stage.ts';
import { insideSuite } from './suite-inside.ts';
import { lifeSuite } from './suite-life.ts';
import { programSuite } from './suite-program.ts';
import { workspaceSuite } from './suite-workspace.ts';

await onStage('podman', (stage) => {
  insideSuite(stage);
  workspaceSuite(stage);
  lifeSuite(stage);
  programSuite(stage);
});
