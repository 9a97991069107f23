/**
 * What happens to an alert that stands already and must be heard: it came back and stays, became critical, or its snooze is over. It is
 * told in the thread of its message and in the channel, once, for all of one message together.
 */
import { minute } from '../clock.ts'
import type { Scene } from '../view/view.ts'
import type { Alert, AloudWhy, Post } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { isAudible, mentionsOf, merged, standingPost } from './standing.ts'
import { want } from './want.ts'

type Group = { readonly post: Post; readonly why: AloudWhy; readonly alerts: Alert[] }

/** More than so many at once in a channel are one message. */
const atOnceMax = 3
/** What was told of a message a moment ago takes more of the same quietly. */
const takesForMs = 15 * minute
/** An alert that goes to and fro between warning and critical calls once. */
const againAfterMs = 10 * minute

export function wantAloud(scene: Scene): void {
  const { world } = scene
  const groups = new Map<string, Group>()
  for (const alert of world.open.values()) {
    // Nothing happened to most of them.
    if (alert.reopened === 0 && (alert.criticalMs ?? null) === null && !alert.snooze) continue
    world.apart(`alert ${alert.id}`, () => {
      const post = standingPost(scene, alert)
      const why = post === null ? null : whyOf(scene, alert, post)
      if (post === null || why === null) return
      const name = `${post.id} ${why}`
      const group = groups.get(name) ?? { post, why, alerts: [] }
      groups.set(name, group)
      group.alerts.push(alert)
    })
  }
  const fresh = [...groups.values()].filter((group) => !isTakenBefore(scene, group))
  for (const [, some] of Map.groupBy(fresh, ({ post, why }) => `${post.channel} ${why}`)) {
    for (const group of merged(some, atOnceMax))
      world.apart(`aloud ${group.post.id}`, () => tell(scene, group))
  }
}

/** Null: its message said so itself, or it was told. */
function whyOf(scene: Scene, alert: Alert, post: Post): AloudWhy | null {
  const { criticalMs = null, reopened, round, holder } = alert
  const snooze = holder === null ? alert.snooze : null
  const isCritical = criticalMs !== null && alert.severity === 'critical'
  const isBack = scene.policy.flapSettleMs !== null && reopened > 0 && round?.count === 1
  if ((!isCritical && !isBack && !snooze) || !isAudible(scene, alert)) return null
  // A loud message says by itself what happened before it was sent; a quiet list of a first poll calls nobody.
  const saidMs = post.isLoud ? (post.sentMs ?? Number.POSITIVE_INFINITY) : 0
  const told = scene.world.postsAbout(alert.id).filter(({ kind }) => kind === 'aloud')
  if (isCritical && criticalMs > saidMs) {
    const isOfRise = (one: Post['shows'][number]) =>
      one.alert === alert.id && one.atMs > criticalMs - againAfterMs
    const isTold = told.some(({ data, shows }) => data.why === 'critical' && shows.some(isOfRise))
    if (!isTold && isFirstCritical(scene.world, alert, post)) return 'critical'
  }
  if (snooze && snooze.untilMs > saidMs) {
    const isSince = ({ shows }: Post) =>
      shows.some((one) => one.alert === alert.id && one.atMs >= snooze.untilMs)
    if (!told.some(isSince)) return 'snoozed'
  }
  const joinedMs = post.shows.findLast((shown) => shown.alert === alert.id)?.atMs ?? 0
  return isBack && told.length === 0 && joinedMs > saidMs ? 'reopened' : null
}

/** When it rose, no other one that was open on its message had been told as critical. */
function isFirstCritical(world: World, alert: Alert, post: Post): boolean {
  const riseMs = alert.criticalMs ?? 0
  return post.shows.every((shown) => {
    const other = world.alerts.get(shown.alert)
    if (other === undefined || other.id === alert.id || other.severity !== 'critical') return true
    if (other.isFirstPoll) return true
    return (other.criticalMs ?? 0) >= riseMs || (other.closedMs ?? Number.POSITIVE_INFINITY) <= riseMs
  })
}

/** Several of one list that come back one after the other are told once, and then quietly by an edit. */
function isTakenBefore({ world, nowMs }: Scene, { post, why, alerts }: Group): boolean {
  if (post.kind !== 'list' || why === 'snoozed') return false
  const recent = world
    .repliesTo(post.id)
    .find(
      ({ kind, data, createdMs, state }) =>
        kind === 'aloud' && data.why === why && state !== 'dead' && nowMs - createdMs < takesForMs,
    )
  if (recent === undefined) return false
  const shows = alerts.map(({ id }) => ({ alert: id, isQuiet: true, atMs: nowMs }))
  world.patch('posts', recent.id, { shows: [...recent.shows, ...shows] })
  return true
}

function tell(scene: Scene, { post, why, alerts }: Group): void {
  const { nowMs } = scene
  const [first] = alerts
  if (first === undefined) return
  const round = first.round?.count ?? first.rounds
  const wish = {
    id: `aloud:${post.id}:${first.id}:${round}`,
    kind: 'aloud',
    channel: post.channel,
    forChannel: post.forChannel,
    thread: post.id,
    isBroadcast: true,
    isLoud: true,
    mention: mentionsOf(scene, alerts),
    data: { why, round },
    shows: alerts.map(({ id }) => ({ alert: id, isQuiet: false, atMs: nowMs })),
  } as const
  want(scene.world, nowMs, wish)
}
