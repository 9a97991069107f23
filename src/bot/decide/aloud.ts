/**
 * What happens to an alert that stands already and must be heard: it came back and stays, became critical, or its snooze is over. It is
 * told in the thread of its message and in the channel, once, for all of one message together.
 */
import { minute } from '../clock.ts'
import type { Scene } from '../view/view.ts'
import type { Alert, AloudWhy, Post } from '../world/types.ts'
import { byPost, isAudible, mentionsOf, merged, standingPost } from './standing.ts'
import { want } from './want.ts'

type Saying = { readonly post: Post; readonly what: AloudWhy; readonly alert: Alert }

/** More than so many at once in a channel are one message. */
const atOnceMax = 3
/** What was told of a message a moment ago takes more of the same quietly. */
const takesForMs = 15 * minute
/** An alert that goes to and fro between warning and critical calls once. */
const againAfterMs = 10 * minute

export function wantAloud(scene: Scene): void {
  const { world } = scene
  const sayings: Saying[] = []
  for (const alert of world.open.values()) {
    // Nothing happened to most of them.
    if (alert.reopened === 0 && (alert.criticalMs ?? null) === null && !alert.snooze) continue
    world.apart(`alert ${alert.id}`, () => {
      const post = standingPost(scene, alert)
      const what = post === null ? null : whyOf(scene, alert, post)
      if (post === null || what === null || isTakenBefore(scene, { post, what, alert })) return
      sayings.push({ post, what, alert })
    })
  }
  for (const group of merged(byPost(sayings), atOnceMax))
    world.apart(`aloud ${group.post.id}`, () => tell(scene, group, group.alerts))
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
    if (!isTold) return 'critical'
  }
  if (snooze && snooze.untilMs > saidMs) {
    const isSince = ({ shows }: Post) =>
      shows.some((one) => one.alert === alert.id && one.atMs >= snooze.untilMs)
    if (!told.some(isSince)) return 'snoozed'
  }
  const joinedMs = post.shows.findLast((shown) => shown.alert === alert.id)?.atMs ?? 0
  return isBack && told.length === 0 && joinedMs > saidMs ? 'reopened' : null
}

/** Several of one list that come back one after the other are told once, and then quietly by an edit. */
function isTakenBefore({ world, nowMs }: Scene, { post, what, alert }: Saying): boolean {
  if (post.kind !== 'list' || what === 'snoozed') return false
  const recent = world
    .repliesTo(post.id)
    .find(
      ({ kind, data, createdMs, state }) =>
        kind === 'aloud' && data.why === what && state !== 'dead' && nowMs - createdMs < takesForMs,
    )
  if (recent === undefined) return false
  world.patch('posts', recent.id, {
    shows: [...recent.shows, { alert: alert.id, isQuiet: true, atMs: nowMs }],
  })
  return true
}

function tell(scene: Scene, { post, what, alert: first }: Saying, alerts: readonly Alert[]): void {
  const { world, nowMs } = scene
  want(world, nowMs, {
    id: `aloud:${post.id}:${first.id}:${first.round?.count ?? first.rounds}`,
    kind: 'aloud',
    channel: post.channel,
    forChannel: post.forChannel,
    thread: post.id,
    isBroadcast: true,
    isLoud: true,
    mention: mentionsOf(scene, alerts),
    data: { why: what },
    shows: alerts.map(({ id }) => ({ alert: id, isQuiet: false, atMs: nowMs })),
  })
}
