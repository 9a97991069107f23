/**
 * Makes a chart visible that was ready after its card. An edit may show a file without giving access to it: people then read
 * "file not found" (docs/slack.md#pictures). Where edits give access, which is checked once in each channel, the card is just
 * edited. Elsewhere a reply in the card's thread gives access; only the newest one is kept.
 */
import { backoffMs } from '../../domain/base/backoff.ts'
import { pictureCard } from '../../domain/card/thread-cards.ts'
import { emptyPlan } from '../../domain/plan.ts'
import { attempt } from '../attempt.ts'
import type { PictureJob, PicturePatch } from '../ports/card-store.ts'
import type { Chat, Clock, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

/** Slack may take a moment to say that a file was shared. */
const lookEveryMs = 1_000
const looksMax = 3
/** Tries to delete older replies. */
const clearingsMax = 5

/** Does an edit in this channel give people access to a file that it shows? Kept by channel: it is looked at once. */
const editsShare = 'edits share '

type UploadedJob = PictureJob & { readonly fileId: string }
type Settle = (patch: PicturePatch) => Promise<void>

export function openLatePictures(ports: {
  store: Pick<Store, 'commit' | 'olderReplies' | 'state' | 'forgetCard'>
  chat: Pick<Chat, 'isShared' | 'remove'>
  clock: Clock
  logger: Logger
}) {
  const { store, chat, clock, logger } = ports
  /** Without the scope for it Slack tells nobody who has access to a file. */
  let canLook = true

  return async (job: UploadedJob, settle: Settle): Promise<void> => {
    switch (job.state) {
      case 'wanted':
      case 'offered':
        return show(job, settle)
      case 'tried':
        return look(job, settle)
      case 'reply':
        return replied(job, settle)
      case 'clearing':
        return clear(job, settle)
    }
  }

  async function show(job: UploadedJob, settle: Settle): Promise<void> {
    const { channel } = job
    const isShared = await isSeen(job)
    const doShare = (await store.state(editsShare)).get(channel)
    // The post whose answer was lost had it.
    if (isShared === true || doShare === 'yes')
      return settle({ state: 'clearing', isSeen: true, touches: true })
    if (isShared === false && doShare === undefined)
      return settle({ state: 'tried', touches: true, attempts: 0, notBeforeMs: clock.nowMs() + lookEveryMs })
    await store.commit({ ...emptyPlan(clock.nowMs()), cards: [pictureCard(job.fileId, job)] })
    return settle({ state: 'reply' })
  }

  /** Once the card shows it: did that give people access to it? */
  async function look(job: UploadedJob, settle: Settle): Promise<void> {
    const { channel, attempts } = job
    const nowMs = clock.nowMs()
    const isShared = await isSeen(job)
    if (isShared !== true && attempts + 1 < looksMax)
      return settle({ attempts: attempts + 1, notBeforeMs: nowMs + lookEveryMs })
    if (isShared !== null) {
      logger.info('picture:edits_share', { channel, doShare: isShared })
      const state = [{ name: `${editsShare}${channel}`, value: isShared ? 'yes' : 'no' }]
      await store.commit({ ...emptyPlan(nowMs), state })
    }
    return settle(
      isShared === true
        ? { state: 'clearing', isSeen: true }
        : { state: 'wanted', attempts: 0, notBeforeMs: 0 },
    )
  }

  async function replied(job: UploadedJob, settle: Settle): Promise<void> {
    if (job.reply === 'shown') return settle({ state: 'clearing', isSeen: true, touches: true, attempts: 0 })
    logger.warn('picture:failed', { cardId: job.cardId, why: 'no reply could show it' })
    // An earlier try may be there that nobody sees.
    return settle({ state: 'failed', why: 'no reply could show it', touches: true })
  }

  async function clear(job: UploadedJob, settle: Settle): Promise<void> {
    let isClear = true
    for (const { cardId, channel, ts, isSettled } of await store.olderReplies(job.cardId, job.fileId)) {
      const isGone = ts === null || (await attempt(() => chat.remove({ channel, ts }))).ok
      if (isGone && isSettled) await store.forgetCard(cardId)
      else isClear = false
    }
    const attempts = job.attempts + 1
    if (isClear || attempts >= clearingsMax) {
      logger.info('picture:ready', { cardId: job.cardId, way: job.way })
      return settle({ state: 'ready', attempts: 0 })
    }
    return settle({ attempts, notBeforeMs: clock.nowMs() + backoffMs(attempts) })
  }

  /** Null: nobody can tell. */
  async function isSeen({ fileId, channel }: UploadedJob): Promise<boolean | null> {
    if (!canLook) return null
    const looked = await attempt(() => chat.isShared(fileId, channel))
    if (!looked.ok) return null
    canLook = looked.value !== null
    return looked.value
  }
}
