/** After `npm test`: says how much the fast tier leaves out, so that green is not taken for more than it is. */
import { globSync } from 'node:fs'

const files = globSync([
  'test/{contract,e2e,service,station,workspace,browser}/**/*.test.ts',
  'test/bot/town/*.test.ts',
])
process.stdout.write(`not run here: ${files.length} files of long tests (\`npm run test:long\`)\n`)
