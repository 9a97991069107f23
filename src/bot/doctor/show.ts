/**
 * Shows a card with a picture to one person, in direct messages with the bot, edits it, and takes everything back. A bot has no direct
 * messages with itself (docs/slack.md#answering-one-person), so somebody has to be named.
 */
import type { WebClient } from '@slack/web-api'
import { openDraw } from '../charts/draw.ts'
import type { CardView } from '../domain/card/kinds.ts'
import { attempt } from '../flow/attempt.ts'
import type { SteadyClock } from '../flow/ports/ports.ts'
import { openChat } from '../slack/chat.ts'
import { outcomeOf } from '../slack/errors.ts'
import { withPlainDays } from '../slack/mrkdwn.ts'
import { render } from '../slack/render/render.ts'
import { type Finding, failed, ok, skipped, warning } from './finding.ts'
import { cardSamples } from './samples/cards.ts'
import { anAlert } from './samples/made-up.ts'

const check = 'Slack card'
const cardId = 'doctor'
/** Slack takes a picture in after it was uploaded: up to 12 s in reports (docs/slack.md#pictures). */
const pictureTries = 15
const betweenTriesMs = 1_000

type Step = 'uploaded' | 'posted' | 'edited' | 'looked up' | 'deleted'

/** What was left in Slack, and has to go. */
type Left = { files: string[]; message: { channel: string; ts: string } | null }

export type ShowTo = {
  readonly client: WebClient
  readonly botId: string
  /** A person's id. */
  readonly person: string
  readonly clock: SteadyClock
  /** Aborted when the doctor is interrupted: what was shown is still taken back. */
  readonly leaving: AbortSignal
}

export async function* showCard(to: ShowTo): AsyncGenerator<Finding> {
  const left: Left = { files: [], message: null }
  const shown = await attemptTo(() => show(to, left))
  const kept = await takeBack(to, left)
  // First, and in one: whoever interrupts the doctor is told no more than that.
  if (kept.length > 0) yield warning(check, `not deleted: ${kept.join(', ')}`, 'Delete it by hand.')
  yield shown
}

/** One finding, whatever happens: of what Slack says about the picture, or of the step that failed. */
async function attemptTo(doing: () => Promise<Finding>): Promise<Finding> {
  try {
    return await doing()
  } catch (error) {
    if (!(error instanceof Failed)) throw error
    return error.finding
  }
}

class Failed extends Error {
  readonly finding: Finding

  constructor(step: Step, why: string) {
    super(why)
    this.finding =
      why === interrupted
        ? skipped(check, 'interrupted, and taken back')
        : failed(check, `not ${step} (${why})`, todoOf(why))
  }
}

const interrupted = 'interrupted'

function todoOf(why: string): string {
  if (/^(?:user_not_found|channel_not_found)$/.test(why))
    return 'Name a person of this workspace by the id (U…).'
  if (why === 'messages_tab_disabled') return 'Take manifest.yml for the app: its messages tab is open.'
  return 'Run the doctor again; docs/real-slack.md says what else to look at.'
}

async function show({ client, botId, person, clock, leaving }: ShowTo, left: Left): Promise<Finding> {
  const chat = openChat(client, () => ({ botId, botUserId: '', address: null }), clock)
  const png = await openDraw().bars({ title: 'monbot', bars: [{ label: 'doctor', value: 1 }] })

  async function upload(): Promise<string> {
    stopIfLeaving('uploaded')
    const uploaded = await attempt(() => chat.upload(png, 'monbot-doctor.png'))
    if (!uploaded.ok) throw new Failed('uploaded', uploaded.failure.code ?? 'no answer')
    left.files.push(uploaded.value)
    return uploaded.value
  }

  function stopIfLeaving(step: Step): void {
    if (leaving.aborted) throw new Failed(step, interrupted)
  }

  /** Does it until Slack has taken the picture in; answers why it did not work, or null. */
  async function untilReady(step: Step, tryIt: () => Promise<string | null>): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      stopIfLeaving(step)
      const why = await tryIt()
      if (why === null) return
      if (!isAboutPicture(why) || tries === pictureTries) throw new Failed(step, why)
      await clock.wait(betweenTriesMs, leaving)
    }
  }

  async function isSeen(fileId: string, channel: string): Promise<boolean | null> {
    stopIfLeaving('looked up')
    const seen = await attempt(() => chat.isShared(fileId, channel))
    if (!seen.ok) throw new Failed('looked up', seen.failure.code ?? 'no answer')
    return seen.value
  }

  const first = await upload()
  await untilReady('posted', async () => {
    try {
      const content = withPlainDays(render(testCard(first)), clock.nowMs())
      const { channel, ts } = await client.chat.postMessage({ channel: person, ...content })
      if (channel === undefined || ts === undefined) return 'no_ts'
      left.message = { channel, ts }
      return null
    } catch (error) {
      const { kind, why } = outcomeOf(error)
      return kind === 'unknown' ? `${why}: look whether it is there, and delete it` : why
    }
  })
  const { message } = left
  if (message === null) throw new Failed('posted', 'no_ts')
  const isPostSeen = await isSeen(first, message.channel)
  const second = await upload()
  await untilReady('edited', async () => {
    const outcome = await chat.update({ ...message, key: cardId, plain: false }, testCard(second))
    return outcome.kind === 'shown' ? null : outcome.why
  })
  return seenFinding(person, isPostSeen, await isSeen(second, message.channel))
}

function isAboutPicture(why: string): boolean {
  return why.includes('invalid slack file') || why.includes('downloading image failed')
}

function seenFinding(person: string, isPostSeen: boolean | null, isEditSeen: boolean | null): Finding {
  const shown = `shown to ${person} in direct messages, edited and deleted`
  const only = 'only people can tell whether they do: docs/real-slack.md'
  if (isPostSeen === null || isEditSeen === null)
    return ok(check, `${shown}; not known whether people see its picture, without files:read; ${only}`)
  if (!isPostSeen)
    return warning(
      check,
      `${shown}; Slack does not say that people see a picture that was posted`,
      'Look at a card with a picture as somebody else: docs/real-slack.md says how.',
    )
  const edits = isEditSeen ? ', and one that an edit added' : ', but not one that an edit added'
  return ok(check, `${shown}; by Slack's word people see a picture that was posted${edits}; ${only}`)
}

/** A card such as any alert has; it calls nobody. */
function testCard(fileId: string): CardView {
  const [sample] = cardSamples('', 0).alert
  if (sample === undefined || sample.kind !== 'alert') throw new Error('there is a sample of every card')
  const title = 'This is a test of monbot. It goes away by itself.'
  const alert = anAlert('doctor', 1, { title, plugin: 'Test', details: undefined, roles: [] })
  return {
    ...sample,
    stamp: { cardId, version: 1 },
    alert,
    picture: { fileId, attempts: 0 },
    mention: null,
    mute: null,
    flaps: null,
    timesThisWeek: 1,
    notes: 0,
    lastNote: null,
  }
}

/** Deletes what is left; answers what could not be deleted, in words. */
async function takeBack({ client, botId, clock }: ShowTo, { files, message }: Left): Promise<string[]> {
  const { remove } = openChat(client, () => ({ botId, botUserId: '', address: null }), clock)
  const kept: string[] = []
  if (message !== null) {
    const gone = await attempt(() => remove(message))
    if (!gone.ok) kept.push(`the card in direct messages (${gone.failure.code})`)
  }
  for (const file of files) {
    const gone = await client.files.delete({ file }).catch((error: unknown) => outcomeOf(error).why)
    if (typeof gone === 'string' && gone !== 'file_deleted' && gone !== 'file_not_found')
      kept.push(`a picture monbot-doctor.png (${gone})`)
  }
  return kept
}
