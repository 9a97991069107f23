/** The steps at which the bot is killed: for each, what brings the moment about and the sign by which it is known. */
import type { Chance } from './chance.ts'
import type { Driver } from './driver.ts'

export type Aim = {
  /** As the table of figures has it. */
  readonly step: string
  readonly stir: (driver: Driver, chance: Chance) => void
  /** Null: at a random time instead. */
  readonly when: RegExp | null
  /** The kill falls on one of the first so many such signs; 1 by default. */
  readonly nthMax?: number
  /** The kill comes up to so much later than the sign, for what follows it and gives no sign of its own; 0 by default. */
  readonly withinMs?: number
  /** What is on its way to the API when the kill comes never reaches it; else it does. */
  readonly drops?: boolean
  /** The sign may take so long; `signWithinMs` of strike.ts by default. */
  readonly patienceMs?: number
  /** There is a mute that hides something, and whose time comes within a few seconds. */
  readonly ripe?: 'server' | 'alert'
  /** How often it is drawn, beside the others; 1 by default. */
  readonly weight?: number
}

const opens = (driver: Driver) => void driver.opens()
const bursts = (driver: Driver) => driver.bursts()
const closes = (driver: Driver) => void (driver.closes() ?? driver.opens())
const changes = (driver: Driver, chance: Chance) => (chance.is(0.5) ? opens : closes)(driver)
const quiet = (driver: Driver, chance: Chance) => driver.mutes(serverOf(chance), chance.of(['1m', '1h']))
/** Beside the one that the mute hides already. */
const hides = (driver: Driver, chance: Chance) => {
  if (chance.is(0.5)) driver.opens(driver.muted().at(-1))
}
const asksTwice = (driver: Driver, chance: Chance) => {
  const server = serverOf(chance)
  driver.mutes(server, '1h')
  driver.unmutes(server)
}
const quietAlert = (driver: Driver, chance: Chance) => void driver.mutesAlert(chance.of(['1m', '1h']))
const accountQuiet = (driver: Driver, chance: Chance) => driver.mutesAccount(chance.of(['1m', '30m']))
const acks = (driver: Driver, chance: Chance) => (chance.is(0.5) ? driver.acknowledges() : driver.presses())

function serverOf(chance: Chance): string {
  return `${chance.of(['web', 'db', 'cache', 'worker'])}-${1 + chance.below(2)}`
}

const posting = 'chat.postMessage'
/** Two polls later. */
const joinAfterMs = 1_200
/** More polls in a row than count as an outage. */
const outages = (driver: Driver) => driver.apiFails({ path: 'alerts.json', status: 503, times: 9 })
const outageWithinMs = 20_000
const off = /(false|off)$/
const sign = (start: string, end: RegExp = /$/) => new RegExp(`^${start}.*${end.source}`)

export const aims: readonly Aim[] = [
  { step: 'at a random time', stir: (driver) => driver.anything(), when: null, weight: 3 },

  {
    step: 'poll: the open ones are asked for',
    stir: changes,
    when: /^api asked GET alerts\S* start/,
    nthMax: 2,
  },
  {
    step: 'poll: the open ones are answered',
    stir: changes,
    when: /^api did GET alerts\S* start/,
    nthMax: 2,
  },
  {
    step: 'poll: between its two lists',
    stir: changes,
    when: /^api asked GET alerts\S* (?!start)/,
    nthMax: 2,
  },
  {
    step: 'poll: all is read, before the commit',
    stir: changes,
    when: /^api answered GET alerts\S* (?!start)/,
    nthMax: 2,
    withinMs: 12,
  },
  { step: 'poll: at the commit', stir: changes, when: /^disk monbot\.db-wal/, nthMax: 2 },
  { step: 'poll: after the commit', stir: changes, when: /^log alert:(opened|closed|passed)/ },

  { step: 'post: the commit before the call', stir: opens, when: /^disk monbot\.db-wal/, nthMax: 4 },
  {
    step: 'post: Slack has the call, and never takes it',
    stir: (driver) => {
      driver.slackFails({ method: posting, effect: { kind: 'hang' } })
      driver.opens()
    },
    when: /^slack fault_used hang/,
  },
  {
    step: 'post: Slack takes it after the kill',
    stir: (driver) => {
      driver.slackFails({ method: posting, effect: { kind: 'delay', delayMs: 200 } })
      driver.opens()
    },
    when: /^slack fault_used delay/,
  },
  { step: 'post: Slack has just taken it', stir: opens, when: /^slack message_posted/, nthMax: 2 },
  {
    step: 'post: answered, before the commit',
    stir: opens,
    when: /^slack api_call chat\.postMessage ok/,
    withinMs: 5,
  },
  { step: 'post: after the commit', stir: opens, when: /^log card:shown post/ },
  {
    step: 'post: taken, and answered with an error',
    stir: (driver) => {
      driver.slackFails({ method: posting, effect: { kind: 'commit_then_status', status: 500 } })
      driver.opens()
    },
    when: /^log card:unknown post/,
    withinMs: 30,
  },
  {
    step: 'check: the history is read',
    stir: (driver) => {
      driver.slackFails({ method: posting, effect: { kind: 'commit_then_reset' } })
      driver.opens()
    },
    when: /^slack api_call conversations\.history/,
  },
  {
    step: 'check: after its commit',
    stir: (driver) => {
      driver.slackFails({ method: posting, effect: { kind: 'commit_then_reset' } })
      driver.opens()
    },
    when: /^log card:checked/,
  },
  { step: 'storm: at the commit', stir: bursts, when: /^disk monbot\.db-wal/, nthMax: 3 },
  { step: 'storm: after the commit', stir: bursts, when: /^log storm:(began|grew)/ },
  { step: 'storm: Slack has just taken its card', stir: bursts, when: /^slack message_posted 🔴/ },
  {
    step: 'storm: its card is there, its list is not',
    stir: bursts,
    when: /^log card:shown post/,
    withinMs: 200,
  },
  {
    step: 'storm: Slack has just taken its list',
    stir: bursts,
    when: /^slack message_posted 1\/\d+: /,
  },
  {
    step: 'storm: it takes what waits for Slack',
    stir: (driver) => {
      driver.slackFails({ method: posting, effect: { kind: 'ratelimited', retryAfterSeconds: 1 } })
      driver.opens()
      driver.bursts()
    },
    when: /^log storm:(began|grew)/,
    withinMs: 30,
  },
  {
    step: 'storm: one more joins it',
    stir: (driver) => {
      const kind = driver.bursts()
      setTimeout(() => driver.bursts(kind), joinAfterMs)
    },
    when: /^log storm:grew/,
    withinMs: 30,
  },

  {
    step: 'outage: it begins',
    stir: outages,
    when: /^log blind:began/,
    patienceMs: outageWithinMs,
    withinMs: 20,
  },
  {
    step: 'outage: Slack has just taken its card',
    stir: outages,
    when: /^slack message_posted \S+ Monitoring (?:down|unreadable)/,
    patienceMs: outageWithinMs,
  },
  {
    step: 'outage: it ends',
    stir: (driver) => {
      outages(driver)
      driver.opens()
    },
    when: /^log blind:ended/,
    patienceMs: outageWithinMs,
    withinMs: 20,
  },

  { step: 'update: Slack has just taken it', stir: closes, when: /^slack message_updated/ },
  {
    step: 'update: answered, before the commit',
    stir: closes,
    when: /^slack api_call chat\.update ok/,
    withinMs: 5,
  },
  { step: 'update: after the commit', stir: closes, when: /^log card:shown update/ },

  { step: 'mute: just typed', stir: quiet, when: /^disk monbot\.db-wal/, nthMax: 2 },
  {
    step: 'mute: on disk, the API never hears of it',
    stir: quiet,
    when: sign('api asked POST servers', off),
    drops: true,
  },
  {
    step: 'mute: on disk, the API hears after the kill',
    stir: quiet,
    when: sign('api asked POST servers', off),
  },
  { step: 'mute: the API has done it', stir: quiet, when: sign('api did POST servers', off) },
  {
    step: 'mute: answered, before the commit',
    stir: quiet,
    when: sign('api answered POST servers', off),
    withinMs: 8,
  },
  { step: 'mute: the person is told', stir: quiet, when: /^slack answered 🔕/ },
  { step: 'mute: everyone is told', stir: quiet, when: /^slack message_posted 🔕/ },
  {
    step: 'mute: done, and its answer is lost',
    stir: (driver, chance) => {
      driver.apiFails({ path: 'POST /servers', reset: true, applied: true })
      quiet(driver, chance)
    },
    when: sign('api asked POST servers', off),
    withinMs: 40,
  },
  {
    step: 'mute: the API is away, and it is tried again',
    stir: (driver, chance) => {
      driver.apiFails({ path: 'POST /servers', status: 503, times: 2 })
      quiet(driver, chance)
    },
    when: /^log mute:not_confirmed/,
  },
  { step: 'account mute: the API is asked', stir: accountQuiet, when: sign('api asked POST account', off) },
  { step: 'account mute: the API has done it', stir: accountQuiet, when: sign('api did POST account', off) },

  { step: 'lapse: its row says that it ends', ripe: 'server', stir: hides, when: /^log mute:ending/ },
  {
    step: 'lapse: the API is asked, and never hears',
    ripe: 'server',
    stir: hides,
    when: sign('api asked POST servers', /(true|on)$/),
    drops: true,
  },
  {
    step: 'lapse: the API is asked',
    ripe: 'server',
    stir: hides,
    when: sign('api asked POST servers', /(true|on)$/),
  },
  {
    step: 'lapse: the API has done it',
    ripe: 'server',
    stir: hides,
    when: sign('api did POST servers', /(true|on)$/),
  },
  {
    step: 'lapse: answered, before the commit',
    ripe: 'server',
    stir: hides,
    when: sign('api answered POST servers', /(true|on)$/),
    withinMs: 8,
  },
  { step: 'lapse: after the commit', ripe: 'server', stir: hides, when: /^log mute:ended/ },
  { step: 'lapse: what it hid is told', ripe: 'server', stir: hides, when: /^slack message_posted 🔴/ },
  {
    step: 'lapse: the API is away at the deadline',
    ripe: 'server',
    stir: (driver, chance) => {
      hides(driver, chance)
      driver.apiFails({ path: 'POST /servers', status: 503, times: 2 })
    },
    when: /^log mute:not_ended/,
  },
  { step: 'alert mute: just typed', stir: quietAlert, when: /^disk monbot\.db-wal/, nthMax: 3 },
  { step: 'alert mute: the person is told', stir: quietAlert, when: /^slack answered 🔕 Plugin/ },
  { step: 'alert mute: everyone is told', stir: quietAlert, when: /^slack message_posted 🔕/ },
  {
    step: 'alert unmute: the person is told',
    stir: (driver) => driver.unmutesAlert(),
    when: /^slack answered 🔔 Plugin/,
    ripe: 'alert',
  },
  { step: 'alert lapse: its row says that it ends', ripe: 'alert', stir: opens, when: /^log mute:ending/ },
  {
    step: 'alert lapse: what it hid is told',
    ripe: 'alert',
    stir: () => undefined,
    when: /^slack message_posted 🔴/,
  },
  {
    step: 'unmute: on disk, the API never hears of it',
    stir: asksTwice,
    when: sign('api asked POST servers', /(true|on)$/),
    drops: true,
  },
  {
    step: 'unmute: answered, before the commit',
    stir: asksTwice,
    when: sign('api answered POST servers', /(true|on)$/),
    withinMs: 8,
  },
  { step: 'unmute: the API is asked', stir: asksTwice, when: sign('api asked POST servers', /(true|on)$/) },
  { step: 'unmute: the API has done it', stir: asksTwice, when: sign('api did POST servers', /(true|on)$/) },

  { step: 'acknowledge: at the commit', stir: acks, when: /^disk monbot\.db-wal/, nthMax: 3 },
  { step: 'acknowledge: the person is told', stir: acks, when: /^slack answered 👀/ },
  { step: 'note: at the commit', stir: (driver) => driver.notes(), when: /^disk monbot\.db-wal/, nthMax: 3 },
  { step: 'marker: the API is asked', stir: quiet, when: /^api asked POST markers/ },
  { step: 'marker: the API has done it', stir: quiet, when: /^api did POST markers/ },
  { step: 'picture: on its way to Slack', stir: opens, when: /^slack api_call files\./, nthMax: 2 },
]
