/** Planned mutes as people use them: typed, confirmed, listed, skipped, cancelled, and chosen in the form. */
import { expect, test } from 'vitest'
import type { StoriesAt } from '../support/pressed.ts'
import { sharedTown, soon, told } from '../support/shared-town.ts'

const town = sharedTown({ service: { fleet: 12 } })
const ana = () => town().person('ana')

async function anaReads(words: RegExp): Promise<void> {
  await expect.poll(() => ana().sees().at(-1), soon).toMatch(words)
}

/** In half a day, so that it has not begun at whatever time of day this runs. */
const from = `${String((new Date().getUTCHours() + 12) % 24).padStart(2, '0')}:00`
const to = from.replace(':00', ':30')

const planned: StoriesAt<'planned'> = {
  skipPlanned: async () => {
    await ana().types(`/mon mute web-1 every day ${from}-${to} backup`)
    await anaReads(
      new RegExp(`^Plan this mute\\? web-1 — backup\nMuted every day ${from}–${to} \\(.*\\), next from .*\n`),
    )
    await ana().presses('Plan it')
    await anaReads(/^🗓️ Planned: web-1 will be muted from .* — backup\nIt comes again every day/)
    await expect
      .poll(() => told(town()), soon)
      .toContainEqual(expect.stringMatching(/planned a mute of web-1/))
    await ana().types('/mon mutes')
    await anaReads(/Planned\n.*web-1 will be muted from/)
    await ana().presses('Skip once')
    await anaReads(/^⏭️ Skipped: web-1 is not muted from .*\nThe next one is from/)
  },

  cancelPlanned: async () => {
    await ana().types('/mon mute web-2 from tomorrow 02:00 for 1h')
    await anaReads(/^🗓️ Planned: web-2 will be muted from/)
    await ana().presses('Cancel the plan')
    await anaReads(/^🗓️ Cancelled: web-2 is no longer to be muted\./)
    await ana().types('/mon mutes')
    await anaReads(/^(?!.*web-2)/s)
  },
}

test.for(Object.entries(planned))('%s', ([_, story], context) => story(context))
