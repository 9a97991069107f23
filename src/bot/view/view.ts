/** What Slack shows of a post: a pure function of the world, so that the same world gives the same message and nothing is edited twice. */
import type { KnownBlock } from '@slack/types'
import { hour, second } from '../clock.ts'
import type { Policy } from '../config/policy.ts'
import type { Post } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { alertBlocks, alertOf } from './alert.ts'
import { digest, fitted, image, section, sections, viewOfBlocks, withBlockIds } from './blocks.ts'
import { boardBlocks } from './board.ts'
import { altWords } from './headline.ts'
import { linesBlocks, listBlocks } from './list.ts'
import { outageBlocks, reportOf, shiftBlocks } from './notices.ts'
import { aloudBlocks, dmBlocks, forgottenBlocks, remindBlocks, saidBlocks } from './said.ts'
import { escaped } from './words.ts'

export function viewOf(post: Post, scene: Scene): View {
  const { kind } = post
  if (kind === 'report') return reportOf(post, scene)
  const view = viewOfBlocks(withBlockIds(fitted(makers[kind](post, scene))))
  // A board stands for weeks: its times need their days.
  return kind === 'board' ? view : withPlainTimes(view, post.createdMs)
}

/** Equal views have equal hashes, over restarts too. */
export function viewHash({ text, blocks }: View): string {
  return digest(JSON.stringify([text, blocks]), 20)
}

type Kind = Exclude<Post['kind'], 'report'>
const makers: Readonly<Record<Kind, (post: Post, scene: Scene) => KnownBlock[]>> = {
  alert: alertBlocks,
  list: listBlocks,
  lines: linesBlocks,
  aloud: aloudBlocks,
  remind: remindBlocks,
  forgotten: forgottenBlocks,
  said: saidBlocks,
  line: saidBlocks,
  outage: outageBlocks,
  board: boardBlocks,
  shift: shiftBlocks,
  dm: dmBlocks,
  hello: helloBlocks,
  chart: chartBlocks,
}

function helloBlocks(post: Post, { policy, defaultChannel }: Scene): KnownBlock[] {
  const isUsed =
    post.channel === defaultChannel || policy.routes.some(({ channel }) => channel === post.channel)
  return sections([
    "👋 I'm monbot: I post the monitoring's alerts as cards, and you act on them from there",
    isUsed
      ? 'Alerts routed to this channel come here from now on'
      : `No route leads here: alerts go to <#${defaultChannel}> until the policy file names this channel`,
    'Try `/mon status`, `/mon alerts` or `/mon help`',
  ])
}

function chartBlocks(post: Post, { world }: Scene): KnownBlock[] {
  const alert = alertOf(post, world)
  const words = alert === null ? 'A chart' : altWords(alert)
  if (post.picture === null || post.noPicture) return [section(`⚠️ Couldn't draw it: ${escaped(words)}`)]
  return [image(post.picture.file, words)]
}

const plainWithinMs = 12 * hour
const dated = /<!date\^(\d+)\^\{date_short_pretty\} \{time\}\|/g

/** Slack shows when a message was posted, and within 12 h of that no clock time comes twice: the day goes without saying. */
function withPlainTimes(view: View, postedMs: number): View {
  const text = JSON.stringify(view).replace(dated, (whole, seconds: string) =>
    Math.abs(Number(seconds) * second - postedMs) < plainWithinMs ? `<!date^${seconds}^{time}|` : whole,
  )
  return JSON.parse(text) as View
}

export type Scene = {
  readonly world: World
  readonly policy: Policy
  readonly nowMs: number
  /** SLACK_CHANNEL, or the last route's channel. */
  readonly defaultChannel: string
  /** This process, in `/mon status`; empty where no other one can lead. */
  readonly replicaName: string
  readonly pager: 'pagerduty' | 'webhook' | null
  /** Whether the monitoring can mute one alert alone (it stands in front of an Alertmanager). */
  readonly canMuteAlerts: boolean
  /** Connections of this Slack app beyond ours, as Slack counts them: a second bot uses it. */
  readonly strangers?: number
}

/** One rendering. `text` says what the blocks say, without buttons. */
export type View = { readonly text: string; readonly blocks: readonly KnownBlock[] }
