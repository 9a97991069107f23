/** What is done to what lies between the bots, Postgres, Slack and the API. */

import type { Blow } from './blows.ts'
import { clientsOf } from './crowd.ts'
import {
  deposedCode,
  expectDeposed,
  expectSame,
  expectTaken,
  type Scene,
  type Struck,
  slackMs,
  takenWithinMs,
} from './scene.ts'
import { claimText, commitText, renewalText } from './signs.ts'
import { type Leading, pause } from './town.ts'

const blinkMs = 3_000
const shortMs = 12_000
const longMs = 40_000
/** Polls, and what people do, go on for so long before something is looked at. */
const workMs = 5_000
/** A person must have heard by then. */
const toldWithinMs = 3_000
/** A leader without Slack gives the lease up after a minute. */
const slacklessMs = 60_000
/** What no longer answers is noticed by what is missing, and calls that hang are waited for. */
const slackNoticedMs = 30_000
const pieceMs = 250

type Way = 'cut' | 'swallow' | 'slow'

const now = () => performance.now()
const struckNow = (leading: Leading): Struck => ({ ...leading, atMs: now(), came: true })

/** Life goes on meanwhile. */
async function live(scene: Scene, ms: number): Promise<void> {
  const untilMs = now() + ms
  while (now() < untilMs) {
    if (scene.chance.is(0.4)) scene.driver.anything()
    await pause(Math.min(2_000, Math.max(0, untilMs - now())))
  }
}

/** Between the leader alone and Postgres. */
async function networkOfLeader(scene: Scene, way: Way, ms: number): Promise<void> {
  const leading = await scene.town.led()
  const { replica } = leading
  const struck = struckNow(leading)
  if (way === 'slow') replica.memory.slow(pieceMs)
  else replica.memory[way]()
  await live(scene, Math.min(ms, workMs))
  const isLong = ms > takenWithinMs && way !== 'slow'
  if (isLong) await expectTaken(scene, struck, `taken after ${way}`)
  await live(scene, Math.max(0, ms - (now() - struck.atMs)))
  if (isLong) scene.expectsEnd(replica, [75])
  replica.memory.open()
  if (isLong) {
    await expectDeposed(scene, replica, `ended after ${way}`)
    return
  }
  await pause(workMs)
  await expectSame(scene, leading, `${way} for ${ms / 1_000} s`)
}

async function networkOfStandby(scene: Scene, way: Way): Promise<void> {
  const leading = await scene.town.led()
  const standby = scene.town.replicas.find(({ name }) => name !== leading.replica.name)
  if (standby === undefined) return
  if (way === 'slow') standby.memory.slow(pieceMs)
  else standby.memory[way]()
  await live(scene, longMs)
  standby.memory.open()
  await pause(workMs)
  await expectSame(scene, leading, `${way} before a standby`)
}

/** Between all of them and Postgres: no process ends, and a person hears of it. */
async function networkOfAll(scene: Scene, way: 'cut' | 'swallow', ms: number): Promise<void> {
  await scene.town.led()
  scene.town.front[way]()
  await hears(scene)
  await live(scene, ms)
  scene.town.front.open()
}

/** Somebody asks for a change while the memory is away. */
async function hears({ town, driver, note, finds }: Scene): Promise<void> {
  const told = () => people.flatMap((name) => town.world.workspace.ephemerals(name))
  await pause(1_000)
  const before = told().map((message) => JSON.stringify(message))
  const fromMs = now()
  driver.mutes('worker-2', '5m')
  const fresh = () =>
    told()
      .map((message) => JSON.stringify(message))
      .filter((text) => !before.includes(text))
  while (fresh().length === 0 && now() - fromMs < 2 * toldWithinMs) await pause(20)
  const tookMs = now() - fromMs
  note('a person hears that the memory is away', tookMs)
  if (tookMs > toldWithinMs + slackMs) finds(`TOLD: nobody heard anything for ${Math.round(tookMs)} ms`)
  else if (!/memory/.test(fresh().join(''))) finds(`TOLD: somebody heard ${fresh().join(' ').slice(0, 300)}`)
}

const people = ['ana', 'ben', 'cleo'] as const

async function terminateAll(scene: Scene): Promise<void> {
  const leading = await scene.town.led()
  const { direct } = scene.town
  for (let times = 1 + scene.chance.below(3); times > 0; times -= 1) {
    scene.driver.anything()
    await pause(scene.chance.below(1_000))
    await direct.rows(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where pid <> pg_backend_pid() and backend_type = 'client backend'`,
    )
  }
  await pause(workMs)
  await expectSame(scene, leading, 'pg_terminate_backend of all')
}

async function stopServer(scene: Scene, signal: 'SIGINT' | 'SIGKILL', ms: number): Promise<void> {
  const { town, driver } = scene
  const leading = await town.led()
  driver.anything()
  await pause(scene.chance.below(500))
  await town.server().stop(signal)
  if (ms > workMs) await hears(scene)
  await live(scene, ms)
  await town.server().start()
  await pause(workMs)
  if (ms < takenWithinMs / 2) await expectSame(scene, leading, `Postgres away for ${ms / 1_000} s`)
}

async function crowd(scene: Scene): Promise<void> {
  const { town } = scene
  await town.led()
  const close = await clientsOf(town.server())
  await live(scene, shortMs)
  await close()
}

async function fullDisk(scene: Scene): Promise<void> {
  const { town, driver, chance } = scene
  await town.led()
  town.disk?.fill()
  driver.bursts()
  // A log that needs a new file stops the server; what is full before that fails by itself.
  if (chance.is(0.5)) await town.direct.rows('select pg_switch_wal()').catch(() => undefined)
  await live(scene, shortMs)
  town.disk?.free()
  await town.server().stop()
  await town.server().start()
}

/** The statement was carried out, and the bot cannot know. */
async function loseAnswer(scene: Scene, text: string, awayMs: number): Promise<void> {
  const { town, driver, chance } = scene
  const leading = await town.led()
  const { memory } = leading.replica
  let isOver = false
  const lost = memory.loseAnswerTo(text).then(() => {
    if (awayMs > 0 && !isOver) memory.cut()
  })
  driver.opens()
  if (chance.is(0.7)) driver.anything()
  await Promise.race([lost, pause(2 * shortMs)])
  await live(scene, awayMs)
  isOver = true
  memory.open()
  await pause(workMs)
  await expectSame(scene, leading, 'a lost answer')
}

/** Slack is out of reach for whoever leads, and for nobody else. */
async function slackless(scene: Scene, way: 'cut' | 'swallow'): Promise<void> {
  const leading = await scene.town.led()
  const { replica } = leading
  const struck = struckNow(leading)
  scene.expectsEnd(replica, [0, 75])
  replica.slack[way]()
  scene.driver.opens()
  await expectTaken(scene, struck, 'taken after a minute without Slack', slacklessMs + slackNoticedMs)
  await scene.town.led(leading.lead.term)
  await pause(workMs)
  replica.slack.open()
}

/** The server dies, and one takes its place that knows nothing of the last seconds. */
async function failover(scene: Scene, isStandby: boolean): Promise<void> {
  const { town, driver, chance } = scene
  await town.led()
  const folder = await town.copy()
  // Nothing is muted in those seconds: what the API was told of it, nobody would know any more.
  for (let times = 5; times > 0; times -= 1) {
    chance.of([() => driver.opens(), () => driver.closes(), () => driver.acknowledges()])()
    await pause(1_000)
  }
  await town.failover(folder, isStandby)
}

/** An hour is lost, and everybody was ended for it. */
async function restore(scene: Scene): Promise<void> {
  const { town, driver } = scene
  await town.led()
  const known = [...(await town.world.recall()).alerts.keys()]
  const folder = await town.copy()
  for (let times = 3; times > 0; times -= 1) {
    driver.opens()
    driver.closes()
    await pause(1_500)
  }
  await scene.rest()
  await scene.restart(60 * 60_000)
  await scene.rest()
  // To a memory of an hour ago all that came since is long past; and it says that somebody else leads.
  driver.comesBack(known)
  scene.expectsEnd((await town.led()).replica, [deposedCode])
  await town.failover(folder, false)
}

const laterColumn = 'of_a_later_release'

/** A later release has added something to the schema: this one goes on, and starts. */
async function added(scene: Scene): Promise<void> {
  const { town, driver } = scene
  const leading = await town.led()
  await town.direct.rows(
    `alter table cards add column if not exists ${laterColumn} text;
     insert into kysely_migration (name, timestamp) values ('9999_later', '2030-01-01') on conflict do nothing`,
  )
  driver.anything()
  scene.expectsEnd(leading.replica, [0])
  const struck = struckNow(leading)
  leading.replica.bot.child.kill('SIGTERM')
  await expectTaken(scene, struck, 'taken after SIGTERM, beside a later schema', takenWithinMs)
  await pause(workMs)
  await town.direct.rows(`delete from kysely_migration where name = '9999_later'`)
}

/** A later release has broken with this one: whoever leads ends with a sentence, until that is taken back. */
async function broken(scene: Scene): Promise<void> {
  const { town, driver } = scene
  const { replica } = await town.led()
  const { bot } = replica
  for (const one of town.replicas) scene.expectsEnd(one, [0, 1, 75, 78])
  await town.direct.rows('update gate set code_min = 1000000')
  driver.opens()
  await Promise.race([bot.ended, pause(2 * workMs)])
  if (bot.child.exitCode === null || !/used by a newer version/.test(bot.output()))
    scene.finds(`CODE: ${replica.name} goes on beside a release that breaks with it`)
  await town.direct.rows('update gate set code_min = 0')
}

async function hostileNames(scene: Scene): Promise<void> {
  scene.driver.opens()
  scene.faults.order('names')
  await live(scene, shortMs)
}

const ways = ['cut', 'swallow'] as const

export const troubles: readonly Blow[] = [
  ...[...ways, 'slow' as const].flatMap((way) =>
    [blinkMs, shortMs].map((ms) => ({
      name: `the leader's way to Postgres is ${way} for ${ms / 1_000} s`,
      run: (scene: Scene) => networkOfLeader(scene, way, ms),
    })),
  ),
  ...ways.map((way) => ({
    name: `the leader's way to Postgres is ${way} for 40 s`,
    weight: 2,
    run: (scene: Scene) => networkOfLeader(scene, way, longMs),
  })),
  ...ways.map((way) => ({
    name: `a standby's way to Postgres is ${way} for 40 s`,
    run: (scene: Scene) => networkOfStandby(scene, way),
  })),
  ...ways.map((way) => ({
    name: `everybody's way to Postgres is ${way} for 20 s`,
    run: (scene: Scene) => networkOfAll(scene, way, 20_000),
  })),
  { name: 'pg_terminate_backend of all', weight: 2, run: terminateAll },
  { name: 'Postgres is restarted', weight: 2, run: (scene) => stopServer(scene, 'SIGINT', 0) },
  { name: 'Postgres is killed, and back after 3 s', run: (scene) => stopServer(scene, 'SIGKILL', blinkMs) },
  { name: 'Postgres is stopped for 15 s', run: (scene) => stopServer(scene, 'SIGINT', 15_000) },
  { name: 'Postgres is killed, and back after 50 s', run: (scene) => stopServer(scene, 'SIGKILL', 50_000) },
  { name: 'too many connections for 12 s', isPossible: ({ town }) => !town.isPooled, run: crowd },
  { name: 'a full disk for 12 s', isPossible: ({ town }) => town.disk !== null, run: fullDisk },
  ...[0, blinkMs, shortMs].flatMap((awayMs) => [
    {
      name: `the answer to COMMIT is lost, and the way is cut for ${awayMs / 1_000} s`,
      run: (scene: Scene) => loseAnswer(scene, commitText, awayMs),
    },
    {
      name: `the answer to a claim is lost, and the way is cut for ${awayMs / 1_000} s`,
      run: (scene: Scene) => loseAnswer(scene, claimText, awayMs),
    },
    {
      name: `the answer to a renewal is lost, and the way is cut for ${awayMs / 1_000} s`,
      run: (scene: Scene) => loseAnswer(scene, renewalText, awayMs),
    },
  ]),
  ...ways.map((way) => ({
    name: `Slack is ${way} for the leader alone`,
    run: (scene: Scene) => slackless(scene, way),
  })),
  {
    name: 'failover to a server that is 5 s behind',
    forgets: true,
    run: (scene) => failover(scene, true),
  },
  {
    name: 'the server is replaced by its copy of 5 s ago',
    forgets: true,
    run: (scene) => failover(scene, false),
  },
  { name: 'restore of an hour ago', forgets: true, run: restore },
  { name: 'a later release adds to the schema', run: added },
  { name: 'a later release breaks with this one', run: broken },
  { name: 'NUL, surrogates and names of 10,000 characters', run: hostileNames },
]
