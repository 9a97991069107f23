/** `mutes.json`: single alerts, or what matchers say, silenced at the Alertmanager (docs/api.md#mutes). */
import { z } from 'zod'
import { type Mute, quoted, Refusal } from '../source.ts'
import { count, type Desk, noInput, type Operation, operation, text, time, truth } from './operation.ts'

const idShape = /^[\w.:-]{1,100}$/
const listedMax = 500

function mutesOf({ source }: Desk) {
  if (source.mutes !== null) return source.mutes
  throw new Refusal(404, 'this service can mute servers and the account only: no Alertmanager is behind it')
}

function checkedId(id: string): string {
  if (idShape.test(id)) return id
  throw new Refusal(422, `id: expected 1 to 100 letters, digits, or any of _ . : -; came ${quoted(id)}`)
}

const input = z.object({
  id: text(100),
  alert: count.optional(),
  matchers: text(8000).optional(),
  until: time.optional(),
  by: text(100).optional(),
  why: text(2000).optional(),
  preview: truth.prefault('false'),
})

export const muteOperations: readonly Operation[] = [
  operation('GET', '/mutes.json', noInput, async (desk) => {
    const mutes = mutesOf(desk)
    const results = (await mutes.list()).map((one) => ({
      id: one.id,
      kind: 'silence',
      ours: one.isOurs,
      by: one.by,
      until: one.untilMs === null ? null : new Date(one.untilMs).toISOString(),
      why: one.why,
      starts_at: new Date(one.startsMs).toISOString(),
      matchers: one.matchers,
      alerts: one.alerts.slice(0, listedMax),
      hides: one.alerts.length,
    }))
    return { message: `${results.length} silences`, results, held: desk.mutes.ids() }
  }),
  operation('POST', '/mutes.json', input, async (desk, wish) => {
    const mutes = mutesOf(desk)
    const id = checkedId(wish.id)
    if (wish.until !== undefined && wish.until <= desk.nowMs())
      throw new Refusal(422, 'until: expected a time to come; came one that has passed')
    const mute = await muteOf(desk, id, wish)
    const { matchers = [], trouble } = mute
    const alerts = mutes.hides(matchers)
    const result = { id, matchers, alerts: alerts.slice(0, listedMax), hides: alerts.length, trouble }
    const what = `${alerts.length} open ${alerts.length === 1 ? 'alert' : 'alerts'}`
    if (wish.preview) return { message: `${id} would hide ${what}`, result }
    await desk.mutes.set(mute)
    return { message: `${id} hides ${what}`, result }
  }),
  operation('DELETE', '/mutes/:id.json', noInput, async (desk, _, named) => {
    const mutes = mutesOf(desk)
    const id = checkedId(named)
    const isOurs = desk.mutes.get(id) !== undefined
    if (isOurs) await desk.mutes.end(id)
    const isEnded = isOurs || (await mutes.end(id))
    return { message: isEnded ? `${id} was ended` : `${id} is not there any more` }
  }),
]

async function muteOf(desk: Desk, id: string, wish: z.output<typeof input>): Promise<Mute> {
  const known = desk.mutes.get(id)
  const { by = known?.by ?? 'somebody', why = known?.why ?? 'no reason given', until } = wish
  const rest = { id, kind: 'alert' as const, by, why, untilMs: until ?? null }
  if (wish.matchers !== undefined)
    return { ...rest, matchers: wish.matchers.split('\n').filter((line) => line.trim() !== '') }
  if (known !== undefined && wish.alert === undefined) return { ...known, ...rest }
  if (wish.alert === undefined)
    throw new Refusal(422, 'alert: expected the number of an alert, or matchers; came neither')
  if (desk.ledger.get(wish.alert) === undefined) await desk.loop.fresh()
  const alert = desk.ledger.get(wish.alert)
  if (alert === undefined) throw new Refusal(404, `alert: no alert has the number ${wish.alert}`)
  const trouble = alert.trouble === undefined ? {} : { trouble: alert.trouble }
  return { ...rest, ...trouble, matchers: mutesOf(desk).matchersOf(alert) }
}
