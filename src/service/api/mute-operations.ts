/** `mutes.json` (docs/api.md#mutes): mutes of single alerts, of a service whose alerts say `can_mute`. */
import { z } from 'zod'
import { matchersCharsMax } from '../prometheus/matchers.ts'
import type { ListedMute, MuteOutcome, Mutes } from '../prometheus/mutes.ts'
import { quoted, Refusal } from '../refusal.ts'
import type { World } from '../world.ts'
import { messageAnswer, noInput, type Operation, operation } from './operation.ts'
import { count, parameter, text, truth } from './parameter.ts'

const idShape = /^[\w.:-]{1,100}$/
const wordsCharsMax = 2_000

const outcome = z.object({
  id: z.string(),
  /** In an Alertmanager's notation: `namespace="pay"`. */
  matchers: z.array(z.string()),
  /** Open alerts that it hides now, at most 500 of them. */
  alerts: z.array(z.int()),
  /** How many it hides now. */
  hides: z.int(),
  /** Of the alert that it was made for. */
  trouble: z.string().optional(),
})

const listed = outcome.omit({ trouble: true }).extend({
  kind: z.literal('silence'),
  /** Whether this service made it. */
  ours: z.boolean(),
  by: z.string().nullable(),
  /** Null: until it is deleted. */
  until: z.iso.datetime().nullable(),
  why: z.string().nullable(),
  starts_at: z.iso.datetime(),
})

function mutesOf({ source }: World): Mutes {
  if (source.mutes !== null) return source.mutes
  throw new Refusal(404, 'this service can mute servers and the account only: no Alertmanager is behind it')
}

/** What is open may be known from an earlier reading: what is muted must be seen, and ended, also while Prometheus is away. */
async function freshAlerts({ source }: World): Promise<void> {
  try {
    await source.refresh()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}

const toldOutcome = ({ id, matchers, alerts, hides, trouble }: MuteOutcome): z.input<typeof outcome> => ({
  id,
  matchers: [...matchers],
  alerts: [...alerts],
  hides,
  ...(trouble === null ? {} : { trouble }),
})

const told = (mute: ListedMute): z.input<typeof listed> => ({
  ...toldOutcome({ ...mute, trouble: null }),
  kind: 'silence',
  ours: mute.isOurs,
  by: mute.by,
  until: mute.untilMs === null ? null : new Date(mute.untilMs).toISOString(),
  why: mute.why,
  starts_at: new Date(mute.startsAtMs).toISOString(),
})

const name = () =>
  parameter(
    '1 to 100 letters, digits, or any of _ . : -',
    (value) => (idShape.test(value) ? value : undefined),
    { description: 'The name of the mute; the same name again means the same mute' },
  )

const time = z.iso.datetime({ offset: true })

const words = (description: string) =>
  parameter(
    `text of at most ${wordsCharsMax} characters`,
    (value) => (value.length <= wordsCharsMax ? value : undefined),
    { description },
  )

const input = z.object({
  id: name(),
  alert: count('The number of the alert to mute, open or over').optional(),
  matchers: text(matchersCharsMax, {
    description: "In place of the alert's own: matchers in an Alertmanager's notation, one a line",
    example: 'namespace="pay"\npod=~"web-.*"',
  }).optional(),
  until: parameter(
    'a time such as 2026-11-24T15:00:00Z',
    (value) => (time.safeParse(value).success ? Date.parse(value) : undefined),
    { description: 'When the mute ends; without it, when it is deleted' },
  ).optional(),
  by: words('Who mutes, for the comment at the Alertmanager').optional(),
  why: words('Why, for the comment at the Alertmanager').optional(),
  preview: truth('Changes nothing, and tells what the mute would hide').prefault('false'),
})

export const muteOperations: readonly Operation[] = [
  operation({
    id: 'fetchMutes',
    method: 'GET',
    path: '/mutes.json',
    summary:
      'Every active silence of the Alertmanager, of this service and of others, with the open alerts it hides',
    input: noInput,
    answer: z.object({ message: z.string(), results: z.array(listed) }),
    may404: true,
    async run({ world }) {
      const mutes = mutesOf(world)
      await freshAlerts(world)
      const results = (await mutes.list()).map(told)
      return { message: `${results.length} silences`, results }
    },
  }),
  operation({
    id: 'setMute',
    method: 'POST',
    path: '/mutes.json',
    summary: 'Mutes one alert, or what the matchers say; a known name needs neither, and matchers change it',
    input,
    answer: z.object({ message: z.string(), result: outcome }),
    may404: true,
    async run({ world, input: { preview, until, ...wish } }) {
      const mutes = mutesOf(world)
      if (preview || (wish.alert !== undefined && world.log.get(wish.alert) === undefined)) {
        await freshAlerts(world)
      }
      const result = await mutes[preview ? 'preview' : 'set']({ ...wish, untilMs: until ?? null })
      const what = `${result.hides} open ${result.hides === 1 ? 'alert' : 'alerts'}`
      return {
        message: preview ? `${wish.id} would hide ${what}` : `${wish.id} hides ${what}`,
        result: toldOutcome(result),
      }
    },
  }),
  operation({
    id: 'endMute',
    method: 'DELETE',
    path: '/mutes/:id.json',
    summary: 'Ends a mute by its name, or any silence by its id; one that is over already is no error',
    input: noInput,
    answer: messageAnswer,
    may404: true,
    async run({ world, named }) {
      if (!idShape.test(named)) {
        throw new Refusal(
          422,
          `id: expected 1 to 100 letters, digits, or any of _ . : -; came ${quoted(named)}`,
        )
      }
      const isEnded = await mutesOf(world).end(named)
      return { message: isEnded ? `${named} was ended` : `${named} is not there any more` }
    },
  }),
]
