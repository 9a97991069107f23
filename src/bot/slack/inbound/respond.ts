/**
 * Answers the person who asked, and nobody else: by the response URL, else as an ephemeral message, else by direct message. In a
 * thread the ephemeral message comes first, because a response URL would answer in the channel.
 */
import type { KnownBlock } from '@slack/types'
import type { WebClient } from '@slack/web-api'
import { OutsideFailure } from '../../domain/base/failure.ts'
import type { Drawing, TextFile } from '../../domain/request/answer.ts'
import type { Request } from '../../domain/request/intent.ts'
import type { Reply } from '../../domain/request/reply.ts'
import { attachFile } from '../../flow/outbox/attach.ts'
import type { Chat, Clock, Logger } from '../../flow/ports/ports.ts'
import { failureOf, outcomeOf } from '../errors.ts'
import { withPlainDays } from '../mrkdwn.ts'
import { isDoneOnCard } from '../render/actions/words.ts'
import { drawingOf, fileOf } from '../render/replies/answer.ts'
import { noFileWords, noPictureWords, workingWords } from '../render/replies/receipt.ts'
import { renderReply } from '../render/replies/reply.ts'
import { imageBlock, type Rendered } from '../render/text/message-parts.ts'
import { name } from '../render/text/phrases.ts'
import { actions } from '../vocabulary.ts'
import type { Asker } from './asked.ts'
import { type ForOne, openResponseUrls, type Sent } from './response-url.ts'

export type Respond = {
  /**
   * Sends the answer. Never throws an outside failure: an answer that cannot be delivered is logged, without its text. True if it
   * replaced the message with the clicked button, so that `withoutUndo` can replace it in turn.
   */
  answer(asker: Asker, reply: Reply): Promise<boolean>
  /** Replaces the answer by the same one without its undo button, if that is possible. */
  withoutUndo(asker: Asker, reply: Reply): Promise<void>
  /** Replaces a confirmed receipt by a note that work is in progress, and removes its buttons; otherwise like `answer`. */
  working(asker: Asker): Promise<void>
}

/** Slack takes a while to process an uploaded picture; a minute of waiting in all. */
const pictureWaitsMs = [1_500, 2_000, 4_000, 8_000, 15_000, 29_500] as const
/** A response URL takes five answers (docs/slack.md#answering-one-person): one is for the words, and one is left for the end. */
const byUrlMax = 3

/** What leaves a form or a message as it was, to be sent or pressed again. */
export const unwell: ReadonlySet<Reply['kind']> = new Set(['refused', 'failed', 'stale', 'broken', 'away'])

export function openRespond(ports: {
  readonly client: WebClient
  readonly chat: Pick<Chat, 'upload' | 'attach' | 'isTakenIn'>
  readonly clock: Clock
  readonly logger: Logger
  readonly apiUrl: string
}): Respond {
  const { client, chat, clock, logger } = ports
  const urls = openResponseUrls(ports)

  return {
    answer: async (asker, reply) => {
      const rendered = renderReply(reply)
      if (rendered === null) return false
      const isReplaced = await say(asker, rendered, replaces(asker, reply))
      const drawing = reply.kind === 'answer' ? drawingOf(reply.answer) : null
      if (drawing !== null) await show(asker, drawing)
      const file = reply.kind === 'answer' ? fileOf(reply.answer) : null
      const failure = file === null ? null : await hand(ports, asker, file)
      if (failure !== null) await say(asker, noFileWords(failure), false)
      return isReplaced
    },
    withoutUndo: async (asker, reply) => {
      const rendered = renderReply(reply)
      if (rendered === null || asker.responseUrl === null) return
      const { text, blocks } = withPlainDays(rendered, clock.nowMs())
      const rest = blocks.filter((block) => !hasUndo(block))
      const sent = await urls.send(asker.responseUrl, { text, blocks: rest, replace: true })
      if (sent !== 'taken') logger.debug('undo:not_faded', { why: sent })
    },
    working: async (asker) => {
      if (asker.replaces === 'always') await say(asker, workingWords(), true)
    },
  }

  /** Sends words; true if they replaced the message with the clicked button. */
  async function say(asker: Asker, rendered: Rendered, replace: boolean): Promise<boolean> {
    const { text, blocks } = withPlainDays(rendered, clock.nowMs())
    let sent = await send(asker, { text, blocks, replace })
    // Words without blocks are better than nothing.
    if (sent === 'refused') sent = await send(asker, { text, blocks: [], replace })
    if (sent !== 'taken' && sent !== 'replaced')
      logger.warn('answer:lost', { userId: asker.userId, why: sent })
    return sent === 'replaced'
  }

  /** Sends the picture below the words once Slack can show it; if it never can, words say so. */
  async function show(asker: Asker, drawing: Drawing): Promise<void> {
    try {
      const fileId = await chat.upload(drawing.png, 'chart.png')
      const blocks: KnownBlock[] = [imageBlock({ fileId }, drawing.alt)]
      for (const [at, waitMs] of pictureWaitsMs.entries()) {
        await clock.wait(waitMs)
        const sent = await send(asker, { text: drawing.alt, blocks, replace: false }, at < byUrlMax)
        if (sent === 'taken') return
        // While a picture is still being processed, a response URL says only that the blocks are invalid
        // (docs/slack.md#pictures).
        if (sent !== 'not_ready' && sent !== 'refused') break
      }
      logger.warn('picture:not_shown', { userId: asker.userId })
    } catch (error) {
      if (!(error instanceof OutsideFailure)) throw error
      logger.warn('picture:not_shown', { userId: asker.userId, why: error.message })
    }
    await say(asker, noPictureWords(), false)
  }

  async function send(asker: Asker, what: ForOne, urlFirst = true): Promise<Sent | 'replaced'> {
    const { channel, userId, threadTs, responseUrl } = asker
    const byUrl = async () => (responseUrl === null ? 'over' : urls.send(responseUrl, what))
    const inChannel = async () => {
      if (channel === null) return 'over'
      const thread = threadTs === null ? {} : { thread_ts: threadTs }
      return posted(client.chat.postEphemeral({ channel, user: userId, ...thread, ...shown(what) }))
    }
    // Only a response URL can replace a message.
    const isUrlFirst = what.replace || (urlFirst && threadTs === null)
    for (const way of isUrlFirst ? [byUrl, inChannel] : [inChannel, byUrl]) {
      const sent = await way()
      if (sent === 'taken' && way === byUrl && what.replace) return 'replaced'
      if (sent !== 'over' && sent !== 'lost') return sent
    }
    return posted(client.chat.postMessage({ channel: userId, ...shown(what) }))
  }

  async function posted(call: Promise<unknown>): Promise<Sent> {
    try {
      await call
      return 'taken'
    } catch (error) {
      const outcome = outcomeOf(error)
      if (outcome.kind === 'image_refused' && outcome.isFinal !== true) return 'not_ready'
      if (outcome.kind === 'bad_payload' && outcome.why.startsWith('invalid_blocks')) return 'refused'
      logger.info('answer:detour', { why: failureOf(error, 'pass on an answer').code })
      return 'over'
    }
  }
}

/** Sends a file as a direct message, for an ephemeral one can hold none; why it was not sent, if it was not. */
async function hand(
  {
    client,
    chat,
    clock,
    logger,
  }: Pick<Parameters<typeof openRespond>[0], 'client' | 'chat' | 'clock' | 'logger'>,
  { userId }: Asker,
  file: TextFile,
): Promise<string | null> {
  try {
    const { permalink } = await attachFile(file, { chat, clock })
    await client.chat.postMessage({ channel: userId, text: `📄 ${name(file.name)}: ${permalink}` })
    return null
  } catch (error) {
    const failure = error instanceof OutsideFailure ? error : failureOf(error, 'take a direct message')
    logger.warn('file:not_sent', { userId, why: failure.message })
    return failure.message
  }
}

function shown({ text, blocks }: ForOne) {
  return { text, ...(blocks.length === 0 ? {} : { blocks: [...blocks] }) }
}

function hasUndo(block: KnownBlock): boolean {
  return (
    block.type === 'actions' &&
    block.elements.some((one) => one.type === 'button' && one.action_id === actions.undoMute)
  )
}

function replaces({ replaces: when }: Asker, { kind }: Reply): boolean {
  return when === 'always' || (when === 'when_done' && !unwell.has(kind))
}

/**
 * Does the clicked card itself show the outcome, so that an answer would only repeat it? Never for a typed command, nor for what
 * was not done, or only in part.
 */
export function isAlreadyShown({ card, via }: Pick<Request, 'card' | 'via'>, reply: Reply): boolean {
  if (card === null || via === 'command') return false
  switch (reply.kind) {
    case 'done':
      return isDoneOnCard(reply.act, reply)
    case 'unmuted':
      return reply.isSure && reply.wasMuted !== false
    case 'extended':
      return true
    default:
      return false
  }
}
