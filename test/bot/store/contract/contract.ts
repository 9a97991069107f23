/** What every memory of the bot keeps to: run on SQLite and on Postgres. */
import { describe } from 'vitest'
import type { OpenMemory } from '../../../support/memory-store.ts'
import { askingContract } from './asking.ts'
import { commitContract } from './commit.ts'
import { dirtyContract } from './dirty.ts'
import { mutesContract } from './mutes.ts'
import { outagesContract } from './outages.ts'
import { pagesContract } from './pages.ts'
import { picturesContract } from './pictures.ts'
import { pruneContract } from './prune.ts'
import { requestsContract } from './requests.ts'
import { stormsContract } from './storms.ts'
import { takingOverContract } from './taking-over.ts'
import { valuesContract } from './values.ts'
import { viewsContract } from './views.ts'
import { withdrawnContract } from './withdrawn.ts'

const parts = {
  commit: commitContract,
  'what a plan makes dirty': dirtyContract,
  asking: askingContract,
  mutes: mutesContract,
  outages: outagesContract,
  pages: pagesContract,
  pictures: picturesContract,
  requests: requestsContract,
  storms: stormsContract,
  'taking over': takingOverContract,
  values: valuesContract,
  views: viewsContract,
  'withdrawn cards': withdrawnContract,
  prune: pruneContract,
}

export function storeContract(open: OpenMemory): void {
  describe.each(Object.entries(parts))('%s', (_, part) => part(open))
}
