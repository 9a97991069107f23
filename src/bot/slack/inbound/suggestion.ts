/** Suggests roles while somebody types in the role select: always in time, and never with an error. */
import type { PlainTextOption } from '@slack/types'
import { z } from 'zod'
import { MemoryAway, OutsideFailure } from '../../domain/base/failure.ts'
import { within } from '../../flow/concurrency/within.ts'
import { printable } from '../mrkdwn.ts'
import { plain } from '../render/forms/form-parts.ts'
import { actions } from '../vocabulary.ts'
import type { InboundPorts, Talk } from './inbound-ports.ts'

const shape = z.object({ action_id: z.literal(actions.roles), value: z.string().max(3_000) })

/** Slack's limits. */
const optionsMax = 100
const optionTextCharsMax = 75
const optionValueCharsMax = 150
/** Slack waits 3 s, and then shows an empty list. */
const patienceMs = 2_000

export function openSuggestions(
  { roleNames }: Pick<InboundPorts, 'roleNames'>,
  { clock, logger }: Pick<Talk, 'clock' | 'logger'>,
): (body: unknown) => Promise<PlainTextOption[]> {
  return async (body) => {
    const read = shape.safeParse(body)
    if (!read.success) return []
    const names = await within(clock, patienceMs, namesOf(read.data.value))
    return names === 'late' ? [] : names.map(optionOf)
  }

  async function namesOf(typed: string): Promise<readonly string[]> {
    try {
      const names = await roleNames(typed)
      // A longer name would come back cut (it can still be typed). One name without visible characters would make Slack refuse
      // all options.
      const fitting = names.filter((name) => printable(name, 1) !== '' && name.length <= optionValueCharsMax)
      return fitting.slice(0, optionsMax)
    } catch (error) {
      if (!(error instanceof OutsideFailure) && !(error instanceof MemoryAway)) throw error
      logger.info('roles:not_suggested', { why: error.message })
      return []
    }
  }
}

function optionOf(name: string): PlainTextOption {
  return { text: plain(name, optionTextCharsMax), value: name }
}
