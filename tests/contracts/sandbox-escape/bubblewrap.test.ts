import { whyNoBubblewrap } from '../../support/sandbox.ts';
import { bubblewrapContender } from './contender.ts';
import { escapeSuite } from './suite.ts';

escapeSuite({ name: 'bubblewrap', trouble: await whyNoBubblewrap(), contender: bubblewrapContender });
