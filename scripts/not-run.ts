/** After `npm test`: says how much the fast tier leaves out, so that green is not taken for more than it is. */
import { globSync } from 'node:fs'
import { browser, long } from '../test/tiers.ts'

const files = globSync([...long, ...browser])
process.stdout.write(`not run here: ${files.length} files of long tests (\`npm run test:long\`)\n`)
