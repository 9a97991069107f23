/** One mute in a list: what is quiet, who made it so, until when and why. */
import { isInForce, type Mute } from '../../../domain/mute/mute.ts'
import { markOf } from '../../../domain/mute/shown.ts'
import { printable } from '../../mrkdwn.ts'
import { endWords, inBlocks, name, person, reasonWords } from './phrases.ts'

const reasonCharsMax = 120

export function muteLine(mute: Mute): string {
  const what = mute.hostname === null ? 'The whole account' : name(mute.hostname)
  const why = reasonWords(printable(mute.reason, reasonCharsMax))
  if (mute.state === 'ending' && !isInForce(mute)) {
    return `⚠️ *${what}*: the monitoring API did not confirm the mute by ${person(mute.userId)}; notifications are being switched on again`
  }
  return `🔕 *${what}* muted by ${person(mute.userId)} ${endWords(mute, inBlocks)}${why}${stateWords(mute)}`
}

/** What a button that ends it carries: which mute, with which terms, the person sees. `isOnCard`: its stamp names the alert. */
export function unmuteValue(mute: Mute, isOnCard = false): string {
  const { hostname } = mute
  const what = hostname === null ? 'account' : `server:${hostname}`
  return `mute:${markOf(mute)}|${isOnCard ? '' : what}`
}

function stateWords({ state, attempts }: Mute): string {
  switch (state) {
    case 'asked':
      return ' · being muted'
    case 'ending':
      return attempts === 0
        ? ' · ending: notifications are being switched on again'
        : ' · ending: the monitoring API has not confirmed it yet, and monbot goes on asking'
    case 'active':
    case 'ended':
      return ''
  }
}
