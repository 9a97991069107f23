/** What is done to the bots' processes: each signal at each step, clocks that are wrong, and several at once. */
import { type Aim, aims } from '../aims.ts'
import type { Chance } from '../chance.ts'
import type { Driver } from '../driver.ts'
import {
  expectDeposed,
  expectSame,
  expectTaken,
  freeze,
  handedWithinMs,
  type Scene,
  strikeAt,
  thaw,
} from './scene.ts'
import { pause } from './town.ts'

export type Blow = {
  readonly name: string
  /** How often it is drawn, beside the others; 1 by default. */
  readonly weight?: number
  /** The memory forgets by it: what it said before is no measure any more, and the world ends. */
  readonly forgets?: true
  readonly steps?: readonly Aim[]
  readonly isPossible?: (scene: Scene) => boolean
  /** `aim` is one of its steps, where it has some. */
  run(scene: Scene, aim: Aim): Promise<void>
}

const opens = (driver: Driver) => void driver.opens()
const closes = (driver: Driver) => void (driver.closes() ?? driver.opens())
const mutes = (driver: Driver, chance: Chance) => driver.mutes(`${chance.of(['web', 'db'])}-1`, '1h')
const acks = (driver: Driver) => driver.acknowledges()
const changes = (driver: Driver, chance: Chance) => chance.of([opens, closes, acks, mutes])(driver, chance)

/** What passes the gates: nearer to the moment than anything that the bot says of itself. */
const gateAims: readonly Aim[] = [
  { step: 'claim: on its way to Postgres', stir: opens, when: /^memory asked claim/ },
  { step: 'claim: done, its answer on its way', stir: opens, when: /^memory did claim/ },
  { step: 'claim: said', stir: opens, when: /^log card:claimed/ },
  { step: 'begin: the gate is asked for', stir: changes, when: /^memory asked begin/, nthMax: 5 },
  { step: 'begin: inside the gate', stir: changes, when: /^memory did begin/, nthMax: 5 },
  { step: 'commit: on its way to Postgres', stir: changes, when: /^memory asked commit/, nthMax: 5 },
  { step: 'commit: done, its answer on its way', stir: changes, when: /^memory did commit/, nthMax: 5 },
  { step: 'renewal: on its way', stir: changes, when: /^memory asked renewal/ },
  { step: 'renewal: done, its answer on its way', stir: changes, when: /^memory did renewal/ },
  { step: 'post: it leaves for Slack', stir: opens, when: /^call asked chat\.postMessage/, nthMax: 2 },
  { step: 'update: it leaves for Slack', stir: closes, when: /^call asked chat\.update/, nthMax: 2 },
]
/** A file shows a commit by itself; here a gate does. */
const steps: readonly Aim[] = [...aims.filter(({ when }) => !/^\^disk/.test(when?.source ?? '')), ...gateAims]

/** Where a process that is stopped is worst: between claim and call, in a call, in an update, before an unmute. */
const frozenAt: readonly Aim[] = [
  ...gateAims.filter(({ step }) => /^(claim|post|update)/.test(step)),
  ...[
    'post: Slack takes it after the kill',
    'post: Slack has just taken it',
    'post: answered, before the commit',
  ],
  ...[
    'update: Slack has just taken it',
    'mute: on disk, the API hears after the kill',
    'unmute: the API is asked',
  ],
  ...[
    'mute: the API has done it',
    'storm: Slack has just taken its card',
    'poll: all is read, before the commit',
  ],
].flatMap((one) => (typeof one === 'string' ? steps.filter(({ step }) => step === one) : [one]))

const shortMs = 8_000
const longMs = 40_000
const longestMs = 700_000
/** What was ordered to hang may keep a call that long. */
const callMs = 10_000
/** By then Postgres has carried out what a process that died has asked. */
const againMs = 500
const dayMs = 24 * 60 * 60 * 1_000

async function kill(scene: Scene, aim: Aim): Promise<void> {
  const struck = await strikeAt(scene, aim, ({ replica }) => {
    scene.expectsEnd(replica, [null])
    replica.bot.child.kill('SIGKILL')
  })
  await expectTaken(scene, struck, 'taken after SIGKILL')
}

async function term(scene: Scene, aim: Aim): Promise<void> {
  const struck = await strikeAt(scene, aim, ({ replica }) => {
    scene.expectsEnd(replica, [0])
    replica.bot.child.kill('SIGTERM')
  })
  // A call that Slack or the API keeps waiting is waited for.
  const isHeld = /Slack fails|never takes|takes it after|away|outage|lost/.test(aim.step)
  const limitMs = isHeld ? handedWithinMs + callMs : handedWithinMs
  await expectTaken(scene, struck, `taken after SIGTERM${isHeld ? ', with a call that hangs' : ''}`, limitMs)
}

async function freezeShortly(scene: Scene, aim: Aim): Promise<void> {
  const struck = await strikeAt(scene, aim, ({ replica }) => freeze(replica))
  await pause(shortMs)
  thaw(struck.replica)
  await pause(shortMs)
  await expectSame(scene, struck, 'SIGSTOP for 8 s')
}

async function freezeLong(scene: Scene, aim: Aim, passMs = 0): Promise<void> {
  const struck = await strikeAt(scene, aim, ({ replica }) => freeze(replica))
  await expectTaken(scene, struck, 'taken after SIGSTOP')
  if (scene.chance.is(0.5)) changes(scene.driver, scene.chance)
  await pause(Math.max(0, longMs - (performance.now() - struck.atMs)))
  // For all others so much time has passed; what the stopped one sees is that it is more than its trust lasts.
  if (passMs > 0) await scene.restart(passMs)
  scene.expectsEnd(struck.replica, [75])
  thaw(struck.replica)
  await expectDeposed(scene, struck.replica, 'ended after SIGCONT')
}

/** The bytes of a call are on their way, and arrive much later than whoever sent them has died or is stopped. */
async function holdCall(scene: Scene, method: string, isKilled: boolean, holdMs: number): Promise<void> {
  const { chance } = scene
  const stir = method === 'chat.update' ? closes : opens
  const aim = { step: '', stir, when: new RegExp(`^call asked ${method}`) }
  const struck = await strikeAt(scene, aim, ({ replica }) => {
    replica.slack.swallow()
    if (isKilled) {
      scene.expectsEnd(replica, [null])
      replica.bot.child.kill('SIGKILL')
    } else freeze(replica)
  })
  const { replica } = struck
  if (isKilled) setTimeout(() => replica.slack.open(), holdMs)
  await expectTaken(scene, struck, `taken after ${isKilled ? 'SIGKILL' : 'SIGSTOP'}`)
  if (chance.is(0.5)) changes(scene.driver, chance)
  await pause(Math.max(0, holdMs - (performance.now() - struck.atMs)))
  replica.slack.open()
  if (isKilled) return
  scene.expectsEnd(replica, [75])
  thaw(replica)
  await expectDeposed(scene, replica, 'ended after SIGCONT')
}

/** All at once, as when the power fails. */
async function killAll(scene: Scene, aim: Aim): Promise<void> {
  const struck = await strikeAt(scene, aim, () => {
    for (const replica of scene.town.replicas) {
      scene.expectsEnd(replica, [null])
      replica.bot.child.kill('SIGKILL')
    }
  })
  await expectTaken(scene, struck, 'taken after SIGKILL of all')
}

/** Whoever takes over dies too, the moment that it begins. */
async function killTwice(scene: Scene, aim: Aim): Promise<void> {
  await kill(scene, aim)
  const next = await scene.town.led()
  await pause(scene.chance.below(1_500))
  scene.expectsEnd(next.replica, [null])
  const atMs = performance.now()
  next.replica.bot.child.kill('SIGKILL')
  await expectTaken(scene, { ...next, atMs, came: true }, 'taken after SIGKILL')
}

/** Whoever takes over dies while it takes the lease: before Postgres has it, or before it knows that it has. */
async function killTaker(scene: Scene, aim: Aim): Promise<void> {
  const { town, chance } = scene
  const when = new RegExp(`^memory ${chance.of(['asked', 'did'])} taking (.*)`)
  const struck = await strikeAt(scene, aim, ({ replica }) => {
    scene.expectsEnd(replica, [null])
    replica.bot.child.kill('SIGKILL')
  })
  let atMs = performance.now()
  await new Promise<void>((resolve) => {
    town.world.watch((sign) => {
      const taker = town.replicas.find(({ name }) => name === when.exec(sign)?.[1])
      if (taker === undefined) return
      scene.expectsEnd(taker, [null])
      atMs = performance.now()
      taker.bot.child.kill('SIGKILL')
      resolve()
    })
    setTimeout(resolve, longMs)
  })
  town.world.watch(null)
  await pause(againMs)
  const lead = (await town.direct.lead()) ?? struck.lead
  await expectTaken(scene, { ...struck, lead, atMs }, 'taken after SIGKILL of the taker')
}

/** A standby dies: nobody may notice. */
async function killStandby(scene: Scene): Promise<void> {
  const { town, driver, chance } = scene
  const leading = await town.led()
  const standby = chance.any(town.replicas.filter(({ name }) => name !== leading.replica.name))
  if (standby === undefined) return
  scene.expectsEnd(standby, [null, 0])
  driver.anything()
  await standby.bot.kill(chance.of(['SIGKILL', 'SIGTERM']))
  driver.anything()
  await pause(shortMs)
  await expectSame(scene, leading, 'the end of a standby')
}

/** One whose clock is a day off takes the lead, and gives it back. */
async function skew(scene: Scene, aim: Aim): Promise<void> {
  const { town, driver, chance } = scene
  const leading = await town.led()
  const skewed = town.replicas.filter(({ name }) => name !== leading.replica.name)
  for (const standby of skewed) {
    standby.skewMs = chance.of([-1, 1]) * dayMs
    scene.expectsEnd(standby, [null])
    await standby.bot.kill('SIGKILL')
  }
  await pause(shortMs)
  driver.comesBack([...(await town.world.recall()).alerts.keys()])
  await term(scene, aim)
  await town.led()
  driver.comesBack([...(await town.world.recall()).alerts.keys()])
  await pause(shortMs)
  // Whoever takes over next has the right clock again: the judge compares times, and has but one.
  const wrong = (await town.led()).replica
  for (const replica of skewed) {
    replica.skewMs = 0
    if (replica.name === wrong.name) continue
    scene.expectsEnd(replica, [null])
    await replica.bot.kill('SIGKILL')
  }
  await pause(shortMs)
  await kill(scene, aim)
}

const calls = ['chat.postMessage', 'chat.update'] as const

export const signals: readonly Blow[] = [
  { name: 'SIGKILL', steps, weight: 10, run: kill },
  { name: 'SIGTERM', steps, weight: 5, run: term },
  { name: 'SIGSTOP for 8 s', steps: frozenAt, weight: 2, run: freezeShortly },
  { name: 'SIGSTOP for 40 s', steps: frozenAt, weight: 4, run: freezeLong },
  {
    name: 'SIGSTOP for 700 s',
    steps: frozenAt,
    weight: 2,
    run: (scene, aim) => freezeLong(scene, aim, longestMs - longMs),
  },
  ...calls.flatMap((method) =>
    [15_000, 50_000].map((holdMs) => ({
      name: `SIGKILL, and ${method} arrives ${holdMs / 1_000} s later`,
      run: (scene: Scene) => holdCall(scene, method, true, holdMs),
    })),
  ),
  ...calls.map((method) => ({
    name: `SIGSTOP for 50 s, and ${method} arrives then`,
    run: (scene: Scene) => holdCall(scene, method, false, 50_000),
  })),
  {
    name: 'SIGKILL, and chat.postMessage arrives after it was posted again',
    run: (scene) => {
      scene.mayCopy()
      return holdCall(scene, 'chat.postMessage', true, 125_000)
    },
  },
  { name: 'SIGKILL of all', steps, run: killAll },
  { name: 'SIGKILL of whoever takes over, too', steps, run: killTwice },
  { name: 'SIGKILL of whoever takes over, while it takes the lease', steps, run: killTaker },
  { name: 'a standby ends', run: killStandby },
  { name: 'clocks a day apart', steps: gateAims.filter(({ step }) => /^(claim|post)/.test(step)), run: skew },
]
