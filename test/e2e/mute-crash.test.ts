/**
 * The bot is killed at each step of a mute, as a crash would, and started again. Whatever the moment: no server stays
 * muted at the monitoring API without a mute that the bot knows of, and nothing is told twice.
 */
import { type TestContext, test, vi } from 'vitest'
import { memoryOf } from '../support/bot-memory.ts'
import { patienceMs } from '../support/patience.ts'
import { policyFile, soon, told, truthOf } from '../support/shared-town.ts'
import { openTown, type Town } from '../support/town.ts'

const hourMs = 60 * 60_000
/** Between the kill and the next start. */
const strayedMs = 20_000
/** A post under way when the bot was killed is posted again only once Slack's history must have it: after a minute. */
const late = { timeout: patienceMs, interval: 40 }
/** As often as it can be looked whether the moment has come. */
const closely = { timeout: patienceMs, interval: 1 }

/** A town in which the bot can be killed. Tests run concurrently, so each brings its own `expect`. */
async function openCrashTown({ expect, onTestFinished }: TestContext) {
  const town = await openTown({ service: { fleet: 12 }, closeLater: onTestFinished })
  const settings = { MONBOT_CONFIG: policyFile(town, []) }
  const { service } = town
  const api = truthOf(service)
  const memory = memoryOf(town)
  const ana = town.person('ana')
  let bot = await town.bot(settings)
  // What a process loads for its first answer is not what this is about: several start at once here, and others beside them.
  await vi.waitFor(() => ana.types('/mon help'), { timeout: patienceMs, interval: 500 })
  return {
    expect,
    town,
    service,
    api,
    memory,
    ana,
    kill: () => bot.kill('SIGKILL'),
    start: async () => {
      bot = await town.bot(settings)
    },
    /** How many lines like this everyone has read. */
    tellings: (line: RegExp) => told(town).filter((text) => line.test(text)).length,
    quiet: () => town.expectQuiet({ except: expected }),
  }
}
type CrashTown = Awaited<ReturnType<typeof openCrashTown>>

const expected = [/mute:not_ended/, /card:unknown/, /cards:interrupted/, /markers?:/, /poll:failed/]

const begun = /^🔕 <@U0ANA00001> muted web-1 until/
const over = /^🔔 (?:The mute of web-1|<@U0ANA00001> unmuted web-1)/

/** Every server that is muted is muted by a mute that the bot knows of, and the other way round. */
async function agrees({ expect, api, memory }: CrashTown): Promise<void> {
  await expect
    .poll(() => ({ unsettled: memory.mutes().filter((mute) => !mute.endsWith(' active')) }), soon)
    .toEqual({ unsettled: [] })
  await expect.poll(() => api.muted().map((server) => `${server} active`), soon).toEqual(memory.mutes())
}

/** The hour of the mute passes while the bot is killed: afterwards nothing is left of it. */
async function passes(crash: CrashTown): Promise<void> {
  const { expect } = crash
  await crash.kill()
  crash.memory.passTime(hourMs)
  await crash.start()
  await expect.poll(() => crash.api.muted(), soon).toEqual([])
  await expect.poll(() => crash.memory.mutes(), soon).toEqual([])
  await agrees(crash)
}

/** The next process is ready before that. */
const landsAfterMs = 12_000

type Moment = {
  /** What goes wrong or slow at the API. */
  readonly orders?: (town: Town) => void
  /** Has the moment come? */
  readonly when: (crash: CrashTown) => boolean
  /** What becomes of the mute is seen to its end over one more start; else somebody ends it. */
  readonly outlives?: true
  /** After it was killed: has what was under way at the API come to its end? */
  readonly lands?: (crash: CrashTown) => boolean
}

const moments: Readonly<Record<string, Moment>> = {
  'as soon as Slack was told that the command came': { when: () => true },
  'when it is on disk that the mute was asked for': {
    orders: ({ service }) => service.orderFault({ path: 'POST /servers', delayMs: 300 }),
    when: ({ memory }) => memory.mutes().includes('web-1 asked'),
  },
  'while the API is being asked': {
    orders: ({ service }) => service.orderFault({ path: 'POST /servers', delayMs: 1_500 }),
    when: ({ api }) => api.serverChanges() > 0,
    outlives: true,
    lands: ({ api }) => api.muted().length > 0,
  },
  'when the API has done it and its answer is lost': {
    orders: ({ service }) =>
      service.orderFault({ path: 'POST /servers', applied: true, reset: true, delayMs: 100 }),
    when: ({ api }) => api.muted().length > 0,
  },
  'when the API has just done it': { when: ({ api }) => api.muted().length > 0 },
  'when it is written down, and nobody has been told': {
    when: ({ memory }) => memory.mutes().includes('web-1 active'),
  },
  'when it was told': { when: ({ tellings }) => tellings(begun) > 0, outlives: true },
}

test.concurrent.for(Object.entries(moments))('a mute, killed %s', async ([_, moment], context) => {
  const { orders, when, lands, outlives } = moment
  const { expect } = context
  const crash = await openCrashTown(context)
  orders?.(crash.town)
  await crash.ana.types('/mon mute web-1 1h')
  await expect.poll(() => when(crash), closely).toBe(true)
  await crash.kill()
  await expect.poll(() => lands?.(crash) ?? true, closely).toBe(true)
  crash.memory.passTime(strayedMs)
  await crash.start()
  await agrees(crash)
  const isMuted = crash.api.muted().length > 0
  if (isMuted) {
    await expect.poll(() => crash.tellings(begun), late).toBe(1)
    if (outlives === true) await passes(crash)
    else await crash.ana.types('/mon unmute web-1')
    await expect.poll(() => crash.tellings(over), late).toBe(1)
    await expect.poll(() => [...crash.api.muted(), ...crash.memory.mutes()], soon).toEqual([])
  }
  expect(crash.tellings(begun)).toBe(isMuted ? 1 : 0)
  expect(crash.tellings(over)).toBeLessThanOrEqual(1)
  crash.quiet()
})

/** A server's changes that the API was asked for take so long, that the kill comes while they are under way. */
const slowMs = 6_000

const windowMoments: Readonly<Record<string, Moment>> = {
  'as soon as it was started again': { when: () => true },
  'when the mute is on disk, while the API is being asked': {
    orders: ({ service }) => service.orderFault({ path: 'POST /servers', delayMs: slowMs }),
    when: ({ memory }) => memory.mutes().includes('web-1 asked'),
  },
  'when the API has done it and its answer is lost': {
    orders: ({ service }) =>
      service.orderFault({ path: 'POST /servers', applied: true, reset: true, delayMs: slowMs }),
    when: ({ api }) => api.muted().length > 0,
  },
  'when it was told': { when: ({ tellings }) => tellings(begunAsPlanned) > 0 },
}
const begunAsPlanned = /^🔕 <@U0ANA00001> muted web-1 until .*, as planned/

test.concurrent.for(Object.entries(windowMoments))(
  'a planned window begins once, killed %s',
  async ([_, moment], context) => {
    const { orders, when } = moment
    const { expect } = context
    const crash = await openCrashTown(context)
    await crash.ana.types('/mon mute web-1 from tomorrow 12:00 for 1h')
    await expect.poll(() => crash.memory.planned(), soon).toBe(1)
    await expect.poll(() => crash.tellings(/planned a mute of web-1/), late).toBe(1)
    await crash.kill()
    crash.memory.beginPlanned(hourMs)
    orders?.(crash.town)
    await crash.start()
    await expect.poll(() => when(crash), closely).toBe(true)
    await crash.kill()
    await crash.start()
    await expect.poll(() => crash.memory.planned(), soon).toBe(0)
    await expect.poll(() => crash.api.muted(), soon).toEqual(['web-1'])
    await agrees(crash)
    await expect.poll(() => crash.tellings(begunAsPlanned), late).toBe(1)
    await passes(crash)
    await expect.poll(() => crash.tellings(over), late).toBe(1)
    expect(crash.tellings(begunAsPlanned)).toBe(1)
    crash.quiet()
  },
)

test.concurrent('an end whose time has come, answered 404 by a proxy and killed meanwhile', async (context) => {
  const { expect } = context
  const crash = await openCrashTown(context)
  await crash.ana.types('/mon mute web-1 1h')
  await expect.poll(() => crash.tellings(begun), late).toBe(1)
  await crash.kill()
  crash.memory.passTime(hourMs)
  crash.service.orderFault({ path: 'POST /servers', delayMs: 1_500, status: 404, body: 'html' })
  crash.service.orderFault({ path: 'POST /servers', times: 1_000, status: 404, body: 'html' })
  await crash.start()
  await expect.poll(() => crash.memory.mutes(), closely).toEqual(['web-1 ending'])
  await crash.kill()
  await crash.start()
  await expect.poll(() => crash.tellings(/^⚠️ web-1 may still be muted; retrying/), soon).toBe(1)
  expect(crash.memory.mutes()).toEqual(['web-1 ending'])
  expect(crash.tellings(over)).toBe(0)
  crash.service.clearFaults()
  await expect.poll(() => crash.api.muted(), soon).toEqual([])
  await agrees(crash)
  await expect.poll(() => crash.tellings(over), late).toBe(1)
  crash.quiet()
})

test.concurrent('an unmute while the API is away, killed before it came back', async (context) => {
  const { expect } = context
  const crash = await openCrashTown(context)
  await crash.ana.types('/mon mute web-1 4h')
  await expect.poll(() => crash.tellings(begun), late).toBe(1)
  crash.service.orderFault({ path: 'POST /servers', times: 1_000, status: 503 })
  await crash.ana.types('/mon unmute web-1')
  await expect
    .poll(() => crash.ana.sees().at(-1), soon)
    .toMatch(/^🔔 Unmuting web-1\.\nCouldn't confirm it yet; still trying\./)
  await crash.kill()
  expect(crash.api.muted()).toEqual(['web-1'])
  crash.service.clearFaults()
  await crash.start()
  await expect.poll(() => crash.api.muted(), soon).toEqual([])
  await agrees(crash)
  await expect.poll(() => crash.tellings(over), late).toBe(1)
  crash.quiet()
})

test.concurrent('a request that the crash left under way is said again, and comes after the unmute to no effect', async (context) => {
  const { expect } = context
  const crash = await openCrashTown(context)
  crash.service.orderFault({ path: 'POST /servers', delayMs: landsAfterMs })
  await crash.ana.types('/mon mute web-1 1h')
  await expect.poll(() => crash.api.serverChanges(), closely).toBe(1)
  const askedMs = performance.now()
  await crash.kill()
  expect(crash.memory.mutes()).toEqual(['web-1 asked'])
  await crash.start()
  await agrees(crash)
  expect(crash.api.muted()).toEqual(['web-1'])
  await crash.ana.types('/mon unmute web-1')
  await expect.poll(() => crash.memory.mutes(), soon).toEqual([])
  // By then what the killed process asked for has come, and what should be is said once more.
  await expect
    .poll(() => performance.now() - askedMs, { timeout: patienceMs, interval: 100 })
    .toBeGreaterThan(landsAfterMs)
  await crash.kill()
  crash.memory.passTime(31 * 60_000)
  await crash.start()
  await expect.poll(() => crash.api.muted(), soon).toEqual([])
  crash.quiet()
})
