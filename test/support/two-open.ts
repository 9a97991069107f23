/** A scripted API with two open alerts that were announced. */
import { cards } from './poll-world.ts'
import { scriptedWorld } from './scripted-api.ts'

/** Two open alerts that the bot has told, above a hundred that happened before. */
export async function withTwo(lifecycle: 'flip' | 'pair') {
  const town = await scriptedWorld({ lifecycle })
  const { api, record, clock } = town
  const past = Array.from({ length: 100 }, (_, n) =>
    record(`${100 + n}`, {
      hostname: `past-${n}`,
      lifecycle: 'oneoff',
      timeMs: clock.nowMs() - (n + 1) * 1_000,
    }),
  )
  api.all = past
  await town.poll()
  const records = ['2', '1'].map((id) => record(id, { hostname: `h-${id}` }))
  api.start = records
  api.all = [...records, ...past]
  await town.saidAfter(1)
  const [gone, stays] = records
  if (gone === undefined || stays === undefined) throw new Error('There are two')
  const during = async (ms: number) => {
    const untilMs = clock.nowMs() + ms
    while (clock.nowMs() < untilMs) await town.tick().catch(() => null)
    return cards(town)
  }
  return { ...town, past, records, gone, stays, during }
}
