/** The tables' history, oldest first. A migration that has been released is never changed; a new one follows it. */
import type { Migration } from 'kysely/migration'
import { actedTogether } from './migrations/acted-together.ts'
import { acting } from './migrations/acting.ts'
import { feed } from './migrations/feed.ts'
import { longRun } from './migrations/long-run.ts'
import { missing } from './migrations/missing.ts'
import { moved } from './migrations/moved.ts'
import { numbers } from './migrations/numbers.ts'
import { outages } from './migrations/outages.ts'
import { storms } from './migrations/storms.ts'
import { strays } from './migrations/strays.ts'

export const migrations: Record<string, Migration> = {
  '0001_feed': { up: feed },
  '0002_acting': { up: acting },
  '0003_storms': { up: storms },
  '0004_long_run': { up: longRun },
  '0005_moved': { up: moved },
  '0006_numbers': { up: numbers },
  '0007_outages': { up: outages },
  '0008_acted_together': { up: actedTogether },
  '0009_strays': { up: strays },
  '0010_missing': { up: missing },
}
